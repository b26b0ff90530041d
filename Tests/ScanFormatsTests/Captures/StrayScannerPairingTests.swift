import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

/// Which line belongs to which frame of the video: each frame's picture, pose and depth tell its number.
@Suite struct StrayScannerPairingTests {
    private static let header = "timestamp, frame, x, y, z, qx, qy, qz, qw"
    private static let level = "1.0, 0.0, 0.0, 0.0"

    /// The line that the app writes for a frame: its position's x is its number.
    private static func line(_ number: Int) -> String {
        "\(100 + Double(number) / 4), 0000\(number / 10)\(number % 10), \(number), 2, -3, \(level)"
    }

    /// A recording whose depth has its number in millimetres beyond 1000.
    private func recording(_ lines: [String], depth: Range<Int>) throws -> WrittenCapture {
        let capture = try WrittenCapture("0a1b2c3d4e")
        try capture.write(([Self.header] + lines).joined(separator: "\n") + "\n", to: "odometry.csv")
        try capture.write("50.0, 0.0, 32.0\n0.0, 51.0, 24.0\n0.0, 0.0, 1.0\n", to: "camera_matrix.csv")
        for n in depth { try capture.depth("depth/0000\(n / 10)\(n % 10).png", first: UInt16(1000 + n)) }
        return capture
    }

    private func film(_ recording: WrittenCapture, frames: Int) throws {
        try TestVideo.gray("\(recording.name)/rgb.mp4", in: recording.folder, frames: frames, rate: 60)
    }

    /// The video as the app leaves it: its first frame is hidden from players.
    private func filmHiding(_ recording: WrittenCapture, frames: Int) throws {
        let whole = try TestVideo.gray("whole.mp4", in: recording.folder, frames: frames, rate: 60)
        _ = try TestVideo.hidingFirst(whole, rate: 60, as: "\(recording.name)/rgb.mp4", in: recording.folder)
    }

    /// What each kept frame's picture, pose and depth say that its number is; −1 for a picture of no frame.
    private func numbers(_ capture: Capture) throws -> [[Int]] {
        try capture.loaded([.luma, .recordedDepth]).filter { !$0.facts.isDropped }.map { frame in
            let grey = Int(frame.luma?.pixels.first ?? 0)
            let picture = (0..<40).first { number in
                // Full range, as the decoder gives it.
                abs(grey - (Int(TestVideo.luma(number)) - 16) * 255 / 219) <= 1
            }
            let depth = (frame.recordedDepth?.first).map { Int(($0 * 1000).rounded()) - 1000 }
            return [picture ?? -1, Int(frame.facts.pose?.position.x ?? -1), depth ?? -1]
        }
    }

    @Test func theFrameThatPlayersDoNotShowCounts() throws {
        let recording = try recording((0..<6).map(Self.line), depth: 0..<6)
        try filmHiding(recording, frames: 6)
        let capture = try recording.open(StrayScannerCapture.self)
        #expect(capture.warnings == [])
        #expect(try numbers(capture) == (0..<6).map { [$0, $0, $0] })
        // Single pictures too.
        let pictures = try CapturePictures(at: recording.path)
        #expect(pictures.frames == Array(0..<6))
        for frame in [0, 1, 5] {
            let grey = try pictures.picture(of: frame, within: PixelSize(64, 48)).pixels[0]
            #expect(abs(Int(grey) - (Int(TestVideo.luma(frame)) - 16) * 255 / 219) <= 3, "frame \(frame)")
        }
    }

    @Test func otherFormatsFollowTheEditList() throws {
        var sample = MultiScanSample()
        (sample.frameCount, sample.pictures, sample.colorSize) = (5, .none, PixelSize(64, 48))
        let folder = try TemporaryFolder()
        let path = try folder.write(sample.files(), under: "film")
        let whole = try TestVideo.gray("whole.mp4", in: folder, frames: 6)
        _ = try TestVideo.hidingFirst(whole, rate: 30, as: "film/scan.mp4", in: folder)
        let capture = try MultiScanCapture.open(CaptureFolder(path: path), rules: ReadRules())
        #expect(capture.frames.count == 5 && capture.keptFrames.count == 5)
        let first = try #require(try capture.loaded([.luma]).first?.luma?.pixels.first)
        #expect(abs(Int(first) - (Int(TestVideo.luma(1)) - 16) * 255 / 219) <= 1)
    }

    @Test func aVideoWithoutItsFirstFrameIsSuspect() throws {
        let recording = try recording((0..<6).map(Self.line), depth: 0..<6)
        try film(recording, frames: 5)
        let capture = try recording.open(StrayScannerCapture.self)
        #expect(capture.dropReasons == [nil, nil, nil, nil, nil, "the video has only 5 frames"])
        #expect(capture.warnings.count == 1)
        #expect(
            capture.warnings[0].hasPrefix(
                "rgb.mp4 has one frame fewer than odometry.csv has lines; if another program"))
    }

    @Test func aVideoThatLacksMoreIsWarnedOf() throws {
        let recording = try recording((0..<6).map(Self.line), depth: 0..<6)
        try film(recording, frames: 4)
        #expect(
            try recording.open(StrayScannerCapture.self).warnings == [
                "rgb.mp4 has 4 frames, and there are 6 lines in odometry.csv: the end was taken to be missing; if it "
                    + "is not, pictures and poses do not belong together"
            ])
        var rules = ReadRules()
        rules.mismatch = .shortest
        #expect(try recording.open(StrayScannerCapture.self, rules: rules).warnings == [], "it was asked for")
    }

    /// The numbers have a column of their own, whether there are times or not.
    @Test(arguments: [true, false]) func aLongerVideoTellsNothingWithoutNumbers(_ hasNumbers: Bool) throws {
        let recording = try recording([], depth: 0..<6)
        let column = hasNumbers ? "frame" : "timestamp"
        let lines = (0..<4).map { "\(hasNumbers ? "0" : "10")\($0), \($0), 2, -3, \(Self.level)" }
        try recording.write(
            (["\(column), x, y, z, qx, qy, qz, qw"] + lines).joined(separator: "\n") + "\n", to: "odometry.csv")
        try film(recording, frames: 6)
        let capture = try recording.open(StrayScannerCapture.self)
        #expect(capture.channels.contains(.timestamp) == !hasNumbers)
        let missing = "there are only 4 odometry lines"
        #expect(capture.dropReasons == [nil, nil, nil, nil, missing, missing])
        #expect(
            capture.warnings
                == (hasNumbers
                    ? []
                    : [
                        "odometry.csv has 4 frames, and there are 6 frames in rgb.mp4: the end was taken to be "
                            + "missing; if it is not, pictures and poses do not belong together"
                    ]))
    }

    /// Lines gone from the start: the numbers of the others do not begin at 0.
    @Test func linesMissingAtTheStart() throws {
        let recording = try recording((2..<8).map(Self.line), depth: 0..<8)
        try film(recording, frames: 8)
        let capture = try recording.open(StrayScannerCapture.self)
        let missing = "odometry.csv has no line for it"
        #expect(capture.dropReasons == [missing, missing] + Array(repeating: nil, count: 6))
        #expect(capture.frames[1].drop?.isBad == true)
        #expect(try numbers(capture) == (2..<8).map { [$0, $0, $0] })
        #expect(
            capture.warnings == ["2 lines are missing in odometry.csv; the others were placed by their numbers"])
    }

    /// One line gone from the middle, and the last cut off.
    @Test func aLineMissingAndOneCutOff() throws {
        let cut = "102.75, 000011, -0.9922"
        let recording = try recording([0, 1, 2, 4, 5, 6, 7, 8, 9, 10].map(Self.line) + [cut], depth: 0..<12)
        try film(recording, frames: 12)
        let capture = try recording.open(StrayScannerCapture.self)
        var reasons: [String?] = Array(repeating: nil, count: 12)
        reasons[3] = "odometry.csv has no line for it"
        reasons[11] = "the line has 3 columns, and column 4 is needed (odometry.csv:12)"
        #expect(capture.dropReasons == reasons)
        #expect(try numbers(capture) == [0, 1, 2, 4, 5, 6, 7, 8, 9, 10].map { [$0, $0, $0] })
        #expect(capture.warnings == ["1 line is missing in odometry.csv; the others were placed by their numbers"])
    }

    /// Lines that cannot be used and claim impossible numbers, or none, stand between the others.
    @Test func badLinesDisturbNoOther() throws {
        let lines =
            [Self.line(0), "damage", Self.line(3), "1, 000001, x", "1, 000002, x", Self.line(4), Self.line(6)]
            + ["1, 999999, x"]
        let recording = try recording(lines, depth: 0..<9)
        try film(recording, frames: 9)
        let capture = try recording.open(StrayScannerCapture.self)
        #expect(try numbers(capture) == [0, 3, 4, 6].map { [$0, $0, $0] })
        let missing = "odometry.csv has no line for it"
        let damaged = "the line has 1 column, and column 3 is needed (odometry.csv:3)"
        let wrong = "“x” is not a number"
        #expect(
            capture.dropReasons == [
                nil, damaged, missing, nil, nil, missing, nil, "\(wrong) (odometry.csv:9)",
                "there are only 8 odometry lines",
            ])
        #expect(
            capture.warnings == [
                "a line was passed over: \(wrong) (odometry.csv:5)",
                "a line was passed over: \(wrong) (odometry.csv:6)",
                "2 lines are missing in odometry.csv; the others were placed by their numbers",
            ])
    }

    /// A part of a recording with its part of the video: the numbers are those of the whole.
    @Test(arguments: [
        ([4, 5, 6], "they go up to 6, and the video has 3 frames"),
        ([0, 1, 3], "they go up to 3, and the video has 3 frames"),
    ])
    func numbersThatAreNotTheVideos(_ lines: [Int], _ reason: String) throws {
        let recording = try recording(lines.map(Self.line), depth: 0..<7)
        try film(recording, frames: 3)
        let capture = try recording.open(StrayScannerCapture.self)
        #expect(capture.keptFrames.count == 3)
        #expect(try numbers(capture) == lines.enumerated().map { [$0, $1, $1] })
        #expect(
            capture.warnings == [
                "the numbers of the frames in odometry.csv cannot be used, since \(reason); its lines were taken for the video's frames in their order, which is wrong where any is missing"
            ])
    }

    /// With a video that ends two frames early the numbers are still those of the frames.
    @Test func numbersInOrderNeedNoVideoOfTheirLength() throws {
        let lines = (0..<5).map(Self.line) + ["1.25, 000005, x"]
        let recording = try recording(lines, depth: 0..<6)
        try film(recording, frames: 4)
        let capture = try recording.open(StrayScannerCapture.self)
        #expect(capture.frames.count == 6)
        #expect(capture.warnings.count == 1 && capture.warnings[0].contains("the end was taken to be missing"))
        #expect(try numbers(capture) == (0..<4).map { [$0, $0, $0] })
    }

    /// Lists that other programs have joined or sorted.
    @Test(arguments: [
        ([0, 1, 2, 2, 3, 4, 5], "1 line of odometry.csv repeats an earlier one and was left out", true),
        ([0, 1, 2, 2, 2, 3, 4, 5], "2 lines of odometry.csv repeat earlier ones and were left out", true),
        (
            [0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5], "6 lines of odometry.csv repeat earlier ones and were left out",
            true
        ),
        ([0, 1, 3, 2, 4, 5], "", false),
        ([5, 4, 3, 3, 2, 1, 0], "1 line of odometry.csv repeats an earlier one and was left out", false),
    ])
    func linesThatAreThereTwiceOrInAnotherOrder(_ lines: [Int], _ copies: String, _ isSorted: Bool) throws {
        let recording = try recording(lines.map(Self.line), depth: 0..<6)
        try film(recording, frames: 6)
        let capture = try recording.open(StrayScannerCapture.self)
        var warnings: [String] = []
        if !copies.isEmpty { warnings.append(copies) }
        if !isSorted {
            warnings.append(
                "the lines of odometry.csv are not in the order of their frames; they were taken in that of their numbers"
            )
        }
        #expect(capture.warnings == warnings)
        #expect(capture.frames.map(\.index) == Array(0..<6))
        #expect(try numbers(capture) == (0..<6).map { [$0, $0, $0] })
    }

    /// A line that cannot be used stays behind the one before it.
    @Test func aBadLineAmongLinesInAnotherOrder() throws {
        let lines = [Self.line(2), "1, 000003, x", Self.line(0), Self.line(1), Self.line(1), Self.line(5)]
        let recording = try recording(lines, depth: 0..<6)
        try film(recording, frames: 6)
        let capture = try recording.open(StrayScannerCapture.self)
        #expect(try numbers(capture) == [0, 1, 2, 5].map { [$0, $0, $0] })
        let wrong = "“x” is not a number (odometry.csv:3)"
        #expect(capture.dropReasons == [nil, nil, nil, wrong, "odometry.csv has no line for it", nil])
    }

    /// Two recordings in one list: the same numbers for other frames.
    @Test func linesOfTwoRecordings() throws {
        let lines = (0..<3).map(Self.line) + ["107.0, 000000, 7, 2, -3, \(Self.level)"]
        let recording = try recording(lines, depth: 0..<3)
        try film(recording, frames: 4)
        let capture = try recording.open(StrayScannerCapture.self)
        #expect(try numbers(capture) == [[0, 0, 0], [1, 1, 1], [2, 2, 2], [3, 7, 0]])
        #expect(capture.warnings.count == 1 && capture.warnings[0].contains("cannot be used, since 0 comes after 2"))
    }
}
