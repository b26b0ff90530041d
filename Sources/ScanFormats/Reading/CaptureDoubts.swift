import ScanModel

extension Pose {
    /// Whether it is the identity, or the identity in another axis convention.
    fileprivate var isNoPlace: Bool {
        position == .zero
            && [rotation.columns.0, rotation.columns.1, rotation.columns.2].allSatisfy { column in
                column.components.allSatisfy { $0 == 0 || abs($0) == 1 }
            }
    }
}

/// What is warned of in captures of any format, once one is open.
extension Capture {
    /// Warns of what may be right but mostly is not, whatever the format: in the files, and of cameras that can hardly
    /// have taken these pictures.
    public mutating func noteDoubts(in tree: any CaptureTree) {
        noteDoubtsOfFiles(in: tree)
        let cameras = keptFrames.compactMap { recordedIntrinsics(of: $0.index) }
        for doubt in CameraDoubt.allCases {
            let summaries = cameras.compactMap(doubt.summary)
            guard let first = summaries.first, summaries.count > cameras.count / 2 else { continue }
            warnings.append("\(first): \(doubt.cause)")
        }
        // Of numbers in another unit nothing else is said.
        if !cameras.contains(where: { CameraDoubt.inShares.summary(of: $0) != nil }) { noteOddCameras() }
        noteClock()
        noteStandstill()
        let lost = notePosesOfNoPlace()
        if !noteJumps(besides: lost) && !noteFarCameras(besides: lost) { noteStrays(besides: lost) }
        noteSpeed()
        noteFilesInCloud(in: tree)
    }

    /// Warns of a clock that goes back or stands still: no frame is bad because of it, but whatever relies on times is
    /// spoilt.
    private mutating func noteClock() {
        let timed = frames.compactMap { facts in facts.timestamp.map { (index: facts.index, time: $0) } }
        let steps = zip(timed, timed.dropFirst())
        let back = steps.filter { $1.time < $0.time }
        if let first = back.first {
            warnings.append(
                "the time goes back at \(back.count) of \(timed.count) frames, first at frame \(first.1.index): "
                    + "matching by time pairs the wrong frames")
        }
        let still = steps.filter { $1.time == $0.time && !frames[$1.index].isDropped }
        guard let first = still.first else { return }
        guard timed.contains(where: { $0.time != timed[0].time }) else {
            warnings.append(
                "all \(timed.count) frames have the same time: it is unknown when each was taken")
            return
        }
        warnings.append(
            "\(still.count.counted("frame", "has", "have")) the time of the frame before, first frame \(first.1.index): one may "
                + "be a copy of the other")
    }

    /// Warns of a camera that never moves.
    private mutating func noteStandstill() {
        let poses = frames.compactMap(\.pose)
        if poses.count >= Self.fewestPoses, let first = poses.first, poses.allSatisfy({ $0 == first }) {
            warnings.append(
                "all \(poses.count) poses are identical: the camera did not move, or was not tracked")
        }
    }

    /// More frames than this are not listed for an option.
    private static let mostExcluded = 10

    /// Metres. A shorter jump may be a jerk of the hand; `measure-motion` counts them all.
    private static let shortestJump = 0.3

    /// Fewer than this may be pictures of one view.
    private static let fewestPoses = 10

    /// Warns of frames in the middle of the path that are exactly at the world's origin and aligned with its axes: what
    /// apps write while they do not know where they are. At its beginning a path may rightly be there.
    /// - Returns: the frames.
    private mutating func notePosesOfNoPlace() -> Set<Int> {
        let path = frames.compactMap { facts -> (index: Int, pose: Pose)? in
            guard !facts.isDropped, let pose = facts.pose else { return nil }
            return (facts.index, pose)
        }
        guard let start = path.firstIndex(where: { !$0.pose.isNoPlace }) else { return [] }
        let lengths = zip(path, path.dropFirst()).map { ($1.pose.position - $0.pose.position).length }
        guard let usual = lengths.middle else { return [] }
        var lost: [Int] = []
        for place in path.indices.dropFirst(start + 1) where path[place].pose.isNoPlace {
            // Unordered pictures may include the one at their world's origin.
            if path[place - 1].index == lost.last || lengths[place - 1] > 5 * usual { lost.append(path[place].index) }
        }
        guard let first = lost.first else { return [] }
        warnings.append(
            "\(lost.count.counted("frame")) in the middle of the path \(lost.count == 1 ? "stands" : "stand") exactly at the "
                + "world's origin, first frame \(first), far from the frames before: there the app did not know where it was; "
                + "leave them out with `select-frames`")
        return Set(lost)
    }

    /// What warnings about jumps of the camera's path begin with.
    package static let jumpStart = "the camera's path jumps "

    /// Warns of steps that no hand makes. If the camera is back at once, one pose is wrong; if it goes on from there,
    /// everything after the step may be displaced.
    /// - Parameter lost: frames whose poses are known to be invalid.
    /// - Returns: whether there are any.
    private mutating func noteJumps(besides lost: Set<Int>) -> Bool {
        // A speed says nothing in a world of unknown unit.
        guard isMetric else { return false }
        let all = Trajectory(frames).steps.filter { !$0.isMovement && !lost.contains($0.from) && !lost.contains($0.to) }
        let strays = Set(all.lazy.filter { $0.jump == .back }.map(\.from))
        let jumps = all.filter { $0.jump == .away && ($0.metres > Self.shortestJump || $0.degrees > 30) }
        if let way = Self.ways(jumps.filter { strays.contains($0.to) }, { "to frame \($0.to)" }) {
            warnings.append(
                "\(Self.jumpStart)\(way) and back: only the pose of such a frame is wrong; "
                    + "`filter-motion: {after-jump: 0}` leaves it out")
        }
        if let way = Self.ways(jumps.filter { !strays.contains($0.to) }, { "between frames \($0.from) and \($0.to)" }) {
            warnings.append(
                "\(Self.jumpStart)\(way): tracking was lost and found again elsewhere, so what was filmed "
                    + "before and after may not fit together; look at the frames around it, and keep one side of it "
                    + "with `select-frames` if need be")
        }
        return !jumps.isEmpty
    }

    /// Warns of single frames that stand far from those before and after them, which are close together, where no times
    /// or no unit tell of a jump.
    private mutating func noteStrays(besides lost: Set<Int>) {
        let path = soundPlaces(besides: lost)
        guard path.count >= Self.fewestPoses, !isMetric || !path.contains(where: { $0.isTimed }) else { return }
        func step(_ from: Int, _ to: Int) -> Double { (path[to].place - path[from].place).length }
        guard let usual = path.indices.dropFirst().map({ step($0 - 1, $0) }).middle, usual > 0 else { return }
        // The extent of the path, whatever its unit: a camera on a tripod trembles by many times its usual step.
        let extent = path.map { ($0.place - path[path.count / 2].place).length }.middle ?? 0
        let least = max(20 * usual, isMetric ? Self.shortestJump : extent / 2)
        let strays = path.indices.dropFirst().dropLast().filter { at in
            min(step(at - 1, at), step(at, at + 1)) > least && step(at - 1, at + 1) < 5 * usual
        }
        guard let first = strays.first else { return }
        let frames = strays.map { path[$0].index }
        let unit = isMetric ? "m" : "units"
        warnings.append(
            "\(frames.count.counted(of: path.count, "camera", "stands", "stand")) far from the frames before and after, which "
                + "are close together (frame \(frames[0]) by \(step(first - 1, first).shortText) \(unit)): unless it was filmed "
                + "so, such a pose is wrong; \(Self.wayToLeaveOut(frames))")
    }

    /// Warns of single cameras that are so far from all others that their poses are wrong, where neither times nor a
    /// unit tell of a jump: reconstruction leaves such cameras, and so do damaged numbers.
    /// - Returns: whether there are any.
    private mutating func noteFarCameras(besides lost: Set<Int>) -> Bool {
        let cameras = soundPlaces(besides: lost)
        guard cameras.count >= Self.fewestPoses,
            let x = cameras.map(\.place.x).middle, let y = cameras.map(\.place.y).middle,
            let z = cameras.map(\.place.z).middle
        else { return false }
        let distances = cameras.map { ($0.place - Vector3(x, y, z)).length }
        let usual = distances.sorted()[distances.count * 3 / 4]
        let far = zip(cameras, distances).filter { $1 > 100 * usual }
        // A camera that stands still has no usual distance.
        guard usual > 0, let farthest = far.map(\.1).max(), let rest = distances.filter({ $0 <= 100 * usual }).max()
        else { return false }
        let unit = isMetric ? "m" : "units"
        let frames = far.map(\.0.index)
        warnings.append(
            "\(far.count.counted(of: cameras.count, "camera", "stands", "stand")) up to \(farthest.shortText) \(unit) from the "
                + "middle of the others, which are all within \(rest.shortText) \(unit) of it: such a pose is wrong, and trainers "
                + "scale the whole scene by it; \(Self.wayToLeaveOut(frames))")
        return true
    }

    /// Where the cameras of the kept frames stood, but for those whose poses are known to be invalid.
    private func soundPlaces(besides lost: Set<Int>) -> [(index: Int, place: Vector3, isTimed: Bool)] {
        keptFrames.compactMap { facts in
            guard let pose = facts.pose, pose.defect == nil, !lost.contains(facts.index) else { return nil }
            return (facts.index, pose.position, facts.timestamp != nil)
        }
    }

    private static func wayToLeaveOut(_ frames: [Int]) -> String {
        frames.count > mostExcluded
            ? "leave such frames out with `select-frames`"
            : "leave \(frames.count == 1 ? "it" : "them") out with `select-frames: {exclude: \(frames)}`"
    }

    /// Warns of a camera that moves all the time as no hand moves it: its positions are in another unit.
    private mutating func noteSpeed() {
        let speeds = Trajectory(frames).steps.filter(\.tellsSpeed).compactMap(\.speed)
        guard isMetric, let usual = speeds.middle, usual > 10 else { return }
        warnings.append(
            "the camera moves at \(usual.shortText) m/s, if positions are in metres; if they are in millimetres, read them "
                + "with  --set \(Drop.reader).scale=0.001")
    }

    private static func ways(_ jumps: [Trajectory.Step], _ place: (Trajectory.Step) -> String) -> String? {
        jumps.first.map { first in
            "\(jumps.count == 1 ? "once" : "\(jumps.count) times, first") by \(first.metres.rounded(decimals: 2)) m and "
                + "\(first.degrees.rounded(decimals: 1))° \(place(first))"
        }
    }

    /// Warns of a few cameras that are far from the others: autofocus changes the focal length by a few percent, and
    /// one that is off by far more is a damaged number.
    private mutating func noteOddCameras() {
        let cameras = frames.compactMap { facts -> (index: Int, camera: CameraIntrinsics, shares: CameraShares)? in
            guard !facts.isDropped, let camera = recordedIntrinsics(of: facts.index) else { return nil }
            return (facts.index, camera, CameraShares(camera))
        }
        guard let usual = CameraShares(usualOf: cameras.map(\.shares)) else { return }
        var odd = cameras.filter { !$0.shares.isLike(usual) }
        if cameras.count < Self.fewestCameras || odd.count * Self.fewestCameras > cameras.count {
            // They may be another camera's, unless no other camera is like that.
            odd.removeAll { $0.shares.isRemotelyLike(usual) }
        }
        guard let first = odd.first, odd.count * 3 <= cameras.count else { return }
        warnings.append(
            "the intrinsics of \(odd.count) of \(cameras.count) frames differ greatly from the others', first at frame "
                + "\(first.index) (\(first.camera.numbers), where \(usual.camera(of: first.camera.size).numbers) are usual): "
                + "they may be damaged; leave such frames out with `select-frames` if need be")
    }

    private static let fewestCameras = 20

    /// Warns of what is doubtful about the files alone: second copies among the frames', pictures that other programs
    /// turn, points far from the origin.
    private mutating func noteDoubtsOfFiles(in tree: any CaptureTree) {
        noteCopies(in: tree)
        noteOrientation(in: tree)
        if let doubt = cloud?.coarseness { warnings.append(doubt) }
    }

    /// Warns of a second recording in the same folder, in another format than the one that was recognised, and of the same
    /// one in another form, whose poses may have been refined since: they are not read.
    public mutating func noteOtherRecordings(in tree: any CaptureTree) {
        for other in CaptureFormats.others(than: format, in: tree) {
            warnings.append(
                "there is a second capture in the folder: it was read as \(format), not as \(other.format), "
                    + "although \(other.reason); give each a folder of its own")
        }
        guard let card = CaptureFormats.format(named: format)?.card, case .form = card.origin else { return }
        let forms = CaptureFormats.all.filter { other in
            other.name != format && other.card.origin == card.origin && other.card.reads.contains(.pose)
        }
        for other in forms.compactMap({ $0.recognise(tree) }) {
            warnings.append(
                "the scan is in the folder in two forms: it was read as \(format), not as \(other.format), although "
                    + "\(other.reason); to read the latter:  --set \(Drop.reader).format=\(other.format)")
        }
    }
}
