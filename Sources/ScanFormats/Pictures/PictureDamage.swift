/// What decoders say of pictures that are damaged.
enum PictureDamage {
    /// Begins the fix; of a picture that is no file of its own, another one is to be copied.
    static let wayToMend = "copy the picture again"
}
