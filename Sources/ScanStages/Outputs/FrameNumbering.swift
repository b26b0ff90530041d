import ScanModel
import ScanPipeline

/// How a writer numbers its files.
enum FrameNumbering: String, CaseIterable, Sendable {
    case kept, source

    /// Declares the option `number`.
    init(_ options: inout OptionReader, default usual: FrameNumbering) {
        self = options.choice("number", "Number the written frames from 0, or use source numbers.", default: usual)
    }

    /// The number of a frame's files.
    /// - Parameter written: how many frames have been written before it.
    func number(of frame: Frame, after written: Int) -> Int { self == .kept ? written : frame.index }

    /// Says in the receipt which frames were written, unless their files say it.
    /// - Parameter written: their source numbers, in order.
    func record(_ written: [Int], _ context: StageContext) {
        if self == .kept { context.record("source-frames", .of(written)) }
    }
}
