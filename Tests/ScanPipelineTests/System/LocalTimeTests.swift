import Foundation
import ScanPipeline
import Testing

@Suite struct LocalTimeTests {
    /// Seconds since 1970 of `2026-03-28T05:59:56Z`.
    private static func seconds(_ text: String) -> Int {
        Int((try? Date(text, strategy: .iso8601))?.timeIntervalSince1970 ?? 0)
    }

    /// In a process of its own, since the time zone is the whole process's. Summer time begins on 29 March at 2:00, and ends
    /// on 25 October at 3:00.
    @Test func theNextTimeOfDay() async {
        await #expect(processExitsWith: .success) {
            setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1)
            tzset()
            for (hour, minute, now, next) in [
                (6, 0, "2026-01-10T04:59:56Z", "2026-01-10T05:00:00Z"),
                (6, 0, "2026-01-10T05:00:00Z", "2026-01-11T05:00:00Z"),
                (6, 0, "2026-01-31T20:00:00Z", "2026-02-01T05:00:00Z"),
                // The night has 23 hours, or 25.
                (6, 0, "2026-03-28T21:00:00Z", "2026-03-29T04:00:00Z"),
                (6, 0, "2026-10-24T20:00:00Z", "2026-10-25T05:00:00Z"),
                // Today's half past two is left out; tomorrow's is not.
                (2, 30, "2026-03-29T04:00:00Z", "2026-03-30T00:30:00Z"),
                (2, 30, "2026-03-28T04:00:00Z", "2026-03-29T01:30:00Z"),
            ] as [(Int32, Int32, String, String)] {
                let found = LocalTime.next(hour: hour, minute: minute, after: LocalTimeTests.seconds(now))
                let expected = LocalTimeTests.seconds(next)
                precondition(
                    found == expected, "\(hour):\(minute) after \(now): \(Date(timeIntervalSince1970: Double(found)))")
            }
        }
    }
}
