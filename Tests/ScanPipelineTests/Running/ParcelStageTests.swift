import ScanModel
import ScanPipeline
import TestSupport
import Testing

@Suite struct ParcelStageTests {
    /// A frame goes through several of them in one pass. Of those that run again in the next, nobody takes the parcel.
    @Test(arguments: [1, 8]) func eachGetsItsOwnParcels(_ workers: Int) throws {
        let words = HandOver(.init(changes: [.depth])) { "frame \($0)" }
        let odd = HandOver<Int?>(.init()) { $0 % 2 == 1 ? $0 : nil }
        let hundreds = HandOver(.init()) { 100 * $0 }
        let tens = HandOver(.init(needs: [.depth])) { 10 * $0 }
        let run = try MockRun(
            [
                .reader(4), .decompress, .own("words", words), .own("odd", odd), .own("hundreds", hundreds), .every(2),
                .own("tens", tens),
            ],
            workers: workers)
        let all = ["0: frame 0", "1: frame 1", "2: frame 2", "3: frame 3"]
        #expect(run.counts("words") == ["parcels": .of(all)])
        #expect(run.counts("odd") == ["parcels": .of(["0: nil", "1: Optional(1)", "2: nil", "3: Optional(3)"])])
        #expect(run.counts("hundreds") == ["parcels": .of(["0: 0", "1: 100", "2: 200", "3: 300"])])
        #expect(run.counts("tens") == ["parcels": .of(["0: 0", "2: 20"])])
    }

    /// A frame is never left out of the result without a word.
    @Test func aFrameOfWhichNothingWasMade() throws {
        let failure = try #require(problem { _ = try MockRun([.reader(2), .own("forgetful", Forgetful())]) })
        #expect(failure.fault == .tool)
        #expect(failure.place.stage == "forgetful" && failure.place.frame == 0)
    }
}

/// Hands over what it makes of each frame's number, and puts what arrives into the receipt.
private struct HandOver<Parcel: Sendable>: ParcelStage {
    static var card: StageCard { StageCard(name: "hand-over", summary: "", details: "", example: "") }
    let uses: Uses
    let make: @Sendable (Int) -> Parcel

    init(_ role: Uses.Role, _ make: @escaping @Sendable (Int) -> Parcel) {
        uses = Uses(frame: role)
        self.make = make
    }

    init(_ options: inout OptionReader) { self.init(.init()) { _ in preconditionFailure("it has no options") } }

    func parcel(of frame: inout Frame, in context: StageContext) -> Parcel { make(frame.index) }

    func begin(_ context: StageContext) -> [String] { [] }

    func fold(_ parcel: Parcel, of frame: inout Frame, into list: inout [String], in context: StageContext) {
        list.append("\(frame.index): \(parcel)")
    }

    func end(_ list: consuming [String], _ capture: inout Capture, in context: StageContext) {
        context.record("parcels", .of(list))
    }
}

/// Has a `process` of its own, which hands over nothing.
private struct Forgetful: ParcelStage {
    static var card: StageCard { StageCard(name: "forgetful", summary: "", details: "", example: "") }
    let uses = Uses()

    init() {}
    init(_ options: inout OptionReader) {}

    func process(_ frame: inout Frame, in context: StageContext) {}

    func parcel(of frame: inout Frame, in context: StageContext) -> Int { frame.index }

    func begin(_ context: StageContext) -> Int { 0 }

    func fold(_ parcel: Int, of frame: inout Frame, into sum: inout Int, in context: StageContext) { sum += parcel }

    func end(_ sum: consuming Int, _ capture: inout Capture, in context: StageContext) {}
}
