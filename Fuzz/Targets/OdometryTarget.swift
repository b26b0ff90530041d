import ScanFormats
import ScanModel

extension FuzzTarget {
    /// The text tables of Stray Scanner, TUM and ARKitScenes, each through its own reader, and the pairing of the
    /// resulting times.
    static let odometry = FuzzTarget("odometry") { bytes in
        var times: [Int64] = []
        var others: [Int64] = []
        do throws(Problem) {
            var rows = try StrayOdometry(MemorySource(bytes, name: "odometry.csv", chunk: 31), lineLimit: 300)
            while let line = try rows.next() {
                expect(line.number ?? 0 >= 0, "numbers are not negative")
                guard case .success(let row) = line.row else { continue }
                expect(row.pose.defect == nil, "a frame's pose is sound")
                expect(row.camera?.defect == nil, "a frame's camera is sound")
                expect((line.number != nil) == rows.hasNumbers, "all sound lines have a number, or none")
                expect((row.timestamp != nil) == rows.hasTimestamps, "all lines have a time, or none")
                if let time = row.timestamp { times.append(time) }
            }
        } catch { expect(error.fault == .input, "only the bytes are at fault") }
        do throws(Problem) {
            var table = TextTable(MemorySource(bytes, name: "table", chunk: 31), .space, lineLimit: 300)
            while let row = try table.next() {
                expect(row.fields.allSatisfy { !$0.isEmpty }, "columns with spaces between are not empty")
                if let posed = try? TUMText.posed(row) {
                    expect(posed.pose.defect == nil, "a pose is sound")
                    others.append(posed.timestamp)
                }
                if let posed = try? ARKitScenesText.posed(row) {
                    expect(posed.pose.defect == nil, "a pose is sound")
                    times.append(posed.timestamp)
                }
                if let listed = try? TUMText.listed(row) { others.append(listed.timestamp) }
                let camera = try? TUMText.camera(row, size: nil)
                expect(camera?.camera.defect == nil, "a camera is sound")
            }
        } catch { expect(false, "a table in memory can be read: \(error)") }
        _ = try? StrayCameraMatrix.read(MemorySource(bytes, name: "matrix"))
        _ = try? ARKitScenesText.camera(MemorySource(bytes, name: "camera"))
        check(times, others)
    }

    private static func check(_ times: [Int64], _ others: [Int64]) {
        let match = TimeMatch(times, with: others, within: 20_000_000)
        let used = match.partners.compactMap(\.self)
        expect(Set(used).count == used.count, "no time has two partners")
        for (index, partner) in match.partners.enumerated() {
            guard let partner else { continue }
            expect(abs(times[index] - others[partner]) <= 20_000_000, "partners are near")
            expect(abs(times[index] - others[partner]) <= match.largestGap, "the largest gap is the largest")
        }
        for time in times + others {
            expect(DecimalSeconds.nanoseconds(DecimalSeconds.text(time, places: 9)) == time, "a time comes back")
        }
    }
}
