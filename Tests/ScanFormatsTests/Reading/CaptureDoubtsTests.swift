import ScanFormats
import ScanModel
import TestSupport
import Testing

/// What is warned of whatever the format. The formats' own tests have the principal point and the files.
@Suite struct CaptureDoubtsTests {
    /// A capture whose frames have cameras of these focal lengths, for pictures of 100 × 80.
    private func warnings(
        _ lengths: [(fx: Double, fy: Double)], centre: (x: Double, y: Double) = (50, 40), dropped: Set<Int> = []
    ) throws -> [String] {
        var capture = Capture(id: "doubts")
        capture.frames = lengths.enumerated().map { index, length in
            var facts = FrameFacts(index: index)
            facts.intrinsics = CameraIntrinsics(
                fx: length.fx, fy: length.fy, cx: centre.x, cy: centre.y, width: 100, height: 80, pixelOrigin: .corner)
            if dropped.contains(index) { facts.drop = Drop(stage: "select", reason: "not wanted") }
            return facts
        }
        capture.noteDoubts(in: MemoryTree([:]))
        return capture.warnings
    }

    /// The warnings of a path along x, with poses that are none at some places.
    private func warnings(along path: [Double], lost: [Int], _ none: Pose = .identity) -> [String] {
        var capture = Capture(id: "doubts")
        capture.frames = path.enumerated().map { index, x in
            var facts = FrameFacts(index: index)
            facts.pose =
                lost.contains(index) ? none : Pose(rotation: .rotation(aboutY: x), position: Vector3(x, 1, 2))
            return facts
        }
        capture.noteDoubts(in: MemoryTree([:]))
        return capture.warnings
    }

    @Test func posesOfNoPlace() {
        let path = (0..<10).map { Double($0) / 10 }
        let end =
            "first frame 4, far from the frames before: there the app did not know where it was; leave them out with "
            + "`select-frames`"
        let one = "1 frame in the middle of the path stands exactly at the world's origin, \(end)"
        let three = "3 frames in the middle of the path stand exactly at the world's origin, \(end)"
        #expect(warnings(along: path, lost: [4]) == [one])
        #expect(warnings(along: path, lost: [4], Pose.identity.withCVAxes) == [one])
        #expect(warnings(along: path, lost: [4, 5, 7]) == [three])
        // Where a path begins its world may begin too.
        #expect(warnings(along: path, lost: [0, 1]).isEmpty)
        #expect(warnings(along: path, lost: []).isEmpty)
        // A camera that stands there and looks about knows where it is.
        let place = warnings(along: path, lost: [4], Pose(rotation: .rotation(aboutY: 0.1), position: .zero))
        #expect(
            place == [
                "1 of 10 cameras stands far from the frames before and after, which are close together (frame 4 by 2.256 m): "
                    + "unless it was filmed so, such a pose is wrong; leave it out with `select-frames: {exclude: [4]}`"
            ])
        for count in 0...2 { #expect(warnings(along: Array(path.prefix(count)), lost: []).isEmpty) }
        // Pictures in no order, one of which the world begins at.
        #expect(warnings(along: [0, 9, 1, 8, 2, 7, 3], lost: [3]).isEmpty)
    }

    /// Without times nothing is a jump, nor in a world of unknown unit.
    @Test(arguments: [(true, "m"), (false, "units")])
    func aCameraFarFromAllOthers(_ isMetric: Bool, _ unit: String) {
        func warnings(_ places: [Double]) -> [String] {
            var capture = Capture(id: "doubts")
            capture.isMetric = isMetric
            capture.frames = places.enumerated().map { index, x in
                var facts = FrameFacts(index: index)
                facts.pose = Pose(rotation: .rotation(aboutY: x), position: Vector3(x, 1, 2))
                return facts
            }
            capture.noteDoubts(in: MemoryTree([:]))
            return capture.warnings
        }
        let walk = (0..<12).map { 0.1 * Double($0) }
        let astray = walk.enumerated().map { $0 == 3 ? 9876 : $1 }
        let end = "such a pose is wrong, and trainers scale the whole scene by it; leave it out with"
        #expect(
            warnings(astray) == [
                "1 of 12 cameras stands up to 9875.3 \(unit) from the middle of the others, which are all within 0.7 \(unit) of "
                    + "it: \(end) `select-frames: {exclude: [3]}`"
            ])
        #expect(warnings(walk) == [])
        // Most of the time at one place, and then across the room.
        #expect(warnings(walk + walk.map { 0.1 * $0 } + [15]) == [])
        // One that stands still, and few pictures.
        #expect(warnings(Array(repeating: 1, count: 11) + [50]) == [])
        #expect(warnings([0, 1, 2, 9876]) == [])
    }

    /// Without times or a unit, frames that follow each other tell as well.
    @Test(arguments: [true, false]) func aFrameFarFromThoseAroundItIsDoubted(_ isMetric: Bool) {
        func warnings(_ places: [Double]) -> [String] {
            var capture = Capture(id: "doubts")
            capture.isMetric = isMetric
            capture.frames = places.enumerated().map { index, x in
                var facts = FrameFacts(index: index)
                facts.pose = Pose(rotation: .identity, position: Vector3(x, 1, 2))
                return facts
            }
            capture.noteDoubts(in: MemoryTree([:]))
            return capture.warnings
        }
        let walk = (0..<40).map { 0.02 * Double($0) }
        let unit = isMetric ? "m" : "units"
        let start =
            "far from the frames before and after, which are close together (frame 7 by 1.98 \(unit)): unless it was "
            + "filmed so, such a "
        let astray = walk.enumerated().map { $0 == 7 ? $1 - 2 : $1 }
        let one = "pose is wrong; leave it out with `select-frames: {exclude: [7]}`"
        #expect(warnings(astray) == ["1 of 40 cameras stands \(start)\(one)"])
        let two = astray.enumerated().map { $0 == 20 ? $1 + 1 : $1 }
        let both = "pose is wrong; leave them out with `select-frames: {exclude: [7, 20]}`"
        #expect(warnings(two) == ["2 of 40 cameras stand \(start)\(both)"])
        // Pictures without an order, one from farther off, and a world that lies elsewhere from a frame on.
        let unordered = walk.indices.map { walk[$0 * 17 % 40] }
        #expect(warnings(unordered) == [])
        #expect(warnings(unordered.enumerated().map { $0 == 7 ? $1 - 2 : $1 }) == [])
        #expect(warnings(walk.enumerated().map { $0 < 20 ? $1 : $1 + 2 }) == [])
        // A camera on a tripod.
        let trembling = walk.indices.map { $0 == 9 ? 0.05 : 0.001 * Double($0 % 2) }
        #expect(warnings(trembling).isEmpty == isMetric)
    }

    /// From frame 6 on the world lies elsewhere; a frame between two others is wrong by itself.
    @Test func aPathThatJumps() {
        func warnings(_ places: [Double], turnedFrom: Int = .max, isMetric: Bool = true) -> [String] {
            var capture = Capture(id: "doubts")
            capture.isMetric = isMetric
            capture.frames = places.enumerated().map { index, x in
                var facts = FrameFacts(index: index)
                facts.timestamp = Int64(index) * 100_000_000
                let turn = index < turnedFrom ? 0 : 40 * Double.pi / 180
                facts.pose = Pose(rotation: .rotation(aboutY: turn), position: Vector3(x, 1, 2))
                return facts
            }
            capture.noteDoubts(in: MemoryTree([:]))
            return capture.warnings
        }
        let end =
            ": tracking was lost and found again elsewhere, so what was filmed before and after may not fit together; "
            + "look at the frames around it, and keep one side of it with `select-frames` if need be"
        let walk = (0..<12).map { 0.05 * Double($0) }
        let moved = walk.enumerated().map { $0 < 6 ? $1 : $1 + 0.5 }
        #expect(warnings(walk) == [])
        #expect(warnings(moved) == ["the camera's path jumps once by 0.55 m and 0.0° between frames 5 and 6\(end)"])
        #expect(warnings(moved, isMetric: false) == [])
        #expect(
            warnings(walk, turnedFrom: 6) == [
                "the camera's path jumps once by 0.05 m and 40.0° between frames 5 and 6\(end)"
            ])
        // All the time it is another unit.
        let millimetres = walk.map { 1000 * $0 }
        #expect(
            warnings(millimetres) == [
                "the camera moves at 500 m/s, if positions are in metres; if they are in millimetres, read them with  "
                    + "--set read.scale=0.001"
            ])
        #expect(warnings(millimetres, isMetric: false) == [])
        // There and back is one wrong pose, however much shorter the way back is; at the end nothing tells.
        let back = " and back: only the pose of such a frame is wrong; `filter-motion: {after-jump: 0}` leaves it out"
        let glitch = walk.enumerated().map { $0 == 4 ? $1 + 0.4 : $1 }
        #expect(warnings(glitch) == ["the camera's path jumps once by 0.45 m and 0.0° to frame 4\(back)"])
        let both = moved.enumerated().map { [3, 8].contains($0) ? $1 - 1 : $0 == 11 ? $1 + 2 : $1 }
        #expect(
            warnings(both) == [
                "the camera's path jumps 2 times, first by 0.95 m and 0.0° to frame 3\(back)",
                "the camera's path jumps 2 times, first by 0.55 m and 0.0° between frames 5 and 6\(end)",
            ])
    }

    @Test func timesThatDoNotGoOn() {
        func warnings(_ times: [Int64?], dropped: Set<Int> = []) -> [String] {
            var capture = Capture(id: "doubts")
            capture.frames = times.enumerated().map { index, time in
                var facts = FrameFacts(index: index)
                facts.timestamp = time
                if dropped.contains(index) { facts.drop = Drop(stage: "select", reason: "not wanted") }
                return facts
            }
            capture.noteDoubts(in: MemoryTree([:]))
            return capture.warnings
        }
        #expect(warnings([1, 2, 3, nil, 5]) == [])
        let goesBack =
            "the time goes back at 1 of 4 frames, first at frame 2: matching by time pairs the wrong frames"
        #expect(warnings([1, 4, 2, 5]) == [goesBack])
        let stands = "2 frames have the time of the frame before, first frame 1: one may be a copy of the other"
        #expect(warnings([1, 1, 2, 2]) == [stands])
        #expect(warnings([1, 1, 2, 2], dropped: [1, 3]) == [])
        let never = "all 3 frames have the same time: it is unknown when each was taken"
        #expect(warnings([7, 7, 7]) == [never])
        #expect(warnings([7]) == [] && warnings([nil, nil]) == [])
    }

    @Test func pixelsThatAreNotSquare() throws {
        #expect(try warnings([(90, 90), (90, 84), (90, 96)]) == [])
        let warning =
            "the pixels are far from square: fx / fy is 1.333: the intrinsics may be wrong, or for pictures of another size"
        #expect(try warnings([(120, 90), (90, 90), (120, 90)]) == [warning])
        #expect(try warnings([(120, 90), (90, 90)]) == [])
        #expect(try warnings([]) == [])
    }

    /// Of numbers in another unit nothing else is said.
    @Test func intrinsicsInShares() throws {
        let warning =
            "the intrinsics are in shares of the picture's size, and should be in pixels: fx 0.9, cx 0.5: multiply fx and cx "
            + "by the width, fy and cy by the height"
        #expect(try warnings([(0.9, 1.125), (0.9, 1.125), (90, 90)], centre: (0.5, 0.5)) == [warning])
        let middle = "the principal point (0.5, 0.5) is far from the middle of a picture of 100×80"
        let others = try warnings([(0.9, 1.125), (90, 90), (90, 90)], centre: (0.5, 0.5))
        #expect(others.count == 1 && others[0].hasPrefix("\(middle): "), "\(others)")
    }

    @Test func aCameraFarFromTheOthers() throws {
        // Autofocus.
        var lengths = (0..<40).map { number -> (fx: Double, fy: Double) in
            let length = 90 + Double(number) / 10
            return (length, length)
        }
        #expect(try warnings(lengths) == [])
        lengths[7] = (9, 9)
        lengths[20] = (900, 900)
        let all = try warnings(lengths)
        #expect(all.count == 1)
        #expect(
            all.first?.hasPrefix(
                "the intrinsics of 2 of 40 frames differ greatly from the others', first at frame 7 (fx 9, fy 9, cx "
                    + "50, cy 40, where fx "
            )
                == true, "\(all)")
        #expect(try warnings(lengths, dropped: [7, 20]) == [])
        // A second camera takes more than a few.
        lengths[30] = (900, 900)
        #expect(try warnings(lengths) == [])
        // Nor do a handful of frames tell what is usual.
        #expect(try warnings([(90, 90), (90, 90), (90, 90), (9, 9)]) == [])
        // Unless nothing can be like that.
        let damaged = try warnings([(90, 90), (90, 0.05), (90, 90), (90, 90)])
        #expect(
            damaged == [
                "the intrinsics of 1 of 4 frames differ greatly from the others', first at frame 1 (fx 90, fy 0.05, "
                    + "cx 50, cy 40, where fx 90, fy 90, cx 50, cy 40 are usual): they may be damaged; leave such "
                    + "frames out with `select-frames` if need be"
            ])
    }

    /// Among pictures held upright, one that lies.
    @Test func aPictureThatIsTurnedHasTheSameCamera() {
        var capture = Capture(id: "doubts")
        capture.frames = (0..<24).map { index in
            var facts = FrameFacts(index: index)
            let (w, h) = index == 7 ? (80, 100) : (100, 80)
            facts.intrinsics = CameraIntrinsics(
                fx: 90, fy: 90, cx: Double(w) / 2, cy: Double(h) / 2, width: w, height: h, pixelOrigin: .corner)
            return facts
        }
        capture.noteDoubts(in: MemoryTree([:]))
        #expect(capture.warnings == [])
    }

    @Test(arguments: [
        (4.25, 4.25, "170° from left to right"), (90_000, 90_000, "0.0637° from left to right"),
        (90, 5, "166° from top to bottom"),
    ]) func aFocalLengthOfNoPhone(_ fx: Double, _ fy: Double, shows: String) throws {
        let warning =
            "the focal length is \(fx.shortText) × \(fy.shortText) pixels for pictures of 100×80, which would show "
            + "\(shows): it should be in pixels of these pictures, and may be in millimetres, for another size, or a "
            + "placeholder"
        #expect(try warnings([(fx, fy), (fx, fy), (fx, fy)]) == [warning])
        #expect(try warnings([(90, 90), (90, 90), (90, 90)]) == [])
    }
}
