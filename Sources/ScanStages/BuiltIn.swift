import ScanPipeline

extension StageLibrary {
    /// Every stage of ScanMill, in the order in which a pipeline would use them.
    public static let builtIn = StageLibrary([
        Entry(Read.self),
        Entry(Synthesize.self),
        Entry(Turn.self),
        Entry(SelectEvery.self),
        Entry(SelectFrames.self),
        Entry(FilterBlur.self),
        Entry(Decompress.self),
        Entry(MaskConfidence.self),
        Entry(MaskRange.self),
        Entry(MaskJumps.self),
        Entry(CheckGeometry.self),
        Entry(Unproject.self),
        Entry(CullByBox.self),
        Entry(VoxelDownsample.self),
        Entry(FindFloor.self),
        Entry(Crop.self),
        Entry(Downscale.self),
        Entry(WritePly.self),
        Entry(WriteTransforms.self),
        Entry(WriteColmap.self),
        Entry(WriteZip.self),
        Entry(WriteFrames.self),
        Entry(WriteStaging.self),
        Entry(WriteTum.self),
        Entry(WriteCapture.self),
        Entry(WriteScannet.self),
        Entry(WriteSens.self),
        Entry(WriteThumbnail.self),
        Entry(WritePreview.self),
        Entry(WriteContactSheet.self),
        Entry(RenderCloud.self),
    ])
}
