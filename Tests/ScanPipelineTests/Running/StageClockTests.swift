import ScanModel
import ScanPipeline
import Testing

@Suite struct StageClockTests {
    /// Every stage's time is its own, whatever the number of workers, and a failure's is counted too.
    @Test(arguments: [1, 4]) func timesAreTheStagesOwn(_ workers: Int) throws {
        let slow = Mock.frame("slow", .init(needs: [.recordedDepth])) { _, _ in Self.pause(milliseconds: 2) }
        let quick = Mock.frame("quick", .init(needs: [.recordedDepth])) { _, _ in }
        let late = Mock.finish("late") { _, _ in Self.pause(milliseconds: 10) }
        let run = try MockRun([.reader { Capture.mock(20) }, slow, quick, late], workers: workers)
        let times = Dictionary(uniqueKeysWithValues: run.times.map { ($0.label, $0.seconds) })
        #expect(run.times.map(\.label) == ["read", "slow", "quick", "late", StageClock.digests, StageClock.publish])
        #expect(try #require(times["slow"]) >= 0.04)
        #expect(try #require(times["late"]) >= 0.01)
        #expect(try #require(times["quick"]) < 0.02)
        #expect(try #require(times[StageClock.publish]) == 0)
    }

    private static func pause(milliseconds: Int) {
        let end = ContinuousClock.now + .milliseconds(milliseconds)
        while ContinuousClock.now < end {}
    }
}
