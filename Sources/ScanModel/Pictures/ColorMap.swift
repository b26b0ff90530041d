/// A scale of colours for numbers, as a table of 256.
///
/// The tables are made from polynomials that others have fitted to the published maps. They need only sums and
/// products, so that every machine makes the same table.
public struct ColorMap: Sendable {
    private let table: [RGBColor]

    /// Dark blue, blue, green, yellow, red, dark red: many steps for the eye, for depth and for lines.
    ///
    /// A. Mikhailov, "Turbo, An Improved Rainbow Colormap for Visualization", Google AI Blog, 2019; the polynomial is
    /// his, with R. Du (gist.github.com/mikhailov-work/0d177465a8151eb6ede1768d51d476c7, Apache-2.0). It differs from the
    /// map by up to 32 of 255 in blue at the dark beginning, by up to 22 elsewhere.
    public static let turbo = ColorMap(
        red: [0.13572138, 4.61539260, -42.66032258, 132.13108234, -152.94239396, 59.28637943],
        green: [0.09140261, 2.19418839, 4.84296658, -14.18503333, 4.27729857, 2.82956604],
        blue: [0.10667330, 12.64194608, -60.58204836, 110.36276771, -89.90310912, 27.34824973])

    /// Dark violet, teal, yellow: equal steps look equal, also to colour-blind people and in grey.
    ///
    /// S. van der Walt and N. Smith's map of matplotlib (CC0); the polynomial is M. Zucker's
    /// (shadertoy.com/view/WlfXRN, CC0), within 4 of 255.
    public static let viridis = ColorMap(
        red: [
            0.2777273272234177, 0.1050930431085774, -0.3308618287255563, -4.634230498983486, 6.228269936347081,
            4.776384997670288, -5.435455855934631,
        ],
        green: [
            0.005407344544966578, 1.404613529898575, 0.214847559468213, -5.799100973351585, 14.17993336680509,
            -13.74514537774601, 4.645852612178535,
        ],
        blue: [
            0.3340998053353061, 1.384590162594685, 0.09509516302823659, -19.33244095627987, 56.69055260068105,
            -65.35303263337234, 26.3124352495832,
        ])

    /// - Parameters: coefficients of a polynomial in 0...1 for each channel, the constant first; its values are 0...1.
    private init(red: [Double], green: [Double], blue: [Double]) {
        func channel(_ coefficients: [Double], _ t: Double) -> UInt8 {
            let value = coefficients.reversed().reduce(0) { $0 * t + $1 }
            return UInt8((min(max(value, 0), 1) * 255).rounded())
        }
        table = (0...255).map { step in
            let t = Double(step) / 255
            return RGBColor(channel(red, t), channel(green, t), channel(blue, t))
        }
    }

    /// The colour of a number: 0 is the first, 1 the last; numbers outside get the nearer of the two.
    public func color(at t: Double) -> RGBColor {
        table[t >= 0 ? Int((min(t, 1) * 255).rounded()) : 0]
    }
}
