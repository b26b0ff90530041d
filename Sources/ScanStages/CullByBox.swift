import ScanFormats
import ScanModel
import ScanPipeline

/// Keeps what is in a box, or what is outside.
public struct CullByBox: FrameStage, CaptureStage, DemandingStage {
    public enum Side: String, CaseIterable, Sendable { case inside, outside }

    public static let card = StageCard(
        name: "cull-by-box",
        summary: "Keep only the points and the surface inside the capture's bounding box, or only those outside.",
        details: """
            The box is the exact rotated one, not the axis-aligned box around its corners; its faces belong to it. When
            the capture app has clamped the bottom corners to a floor, the box is cut at their lowest y.

            `margin` grows every face except a clamped floor; `bottom` moves the bottom face alone, so `bottom: -0.02`
            takes away the table under an object. Tests are made in single precision: points within 1e-6 m of a face may
            fall on either side.

            For captures without a box, `fit-box` above makes one around the cloud, or `box` names a file, whose box
            becomes the capture's, for masks too, unless the points outside it are kept.

            Below `voxel-downsample` the merged cloud is culled, and below `fuse-depth` the mesh: a triangle stays if
            all its corners do. `depth: true` zeroes the depth pixels whose points lie on the wrong side, even in
            pipelines without points; `pixel-centre` is then that of the nearest `unproject` above, unless it is given.

            A file for `box` is a `boundingbox.json` as the capture apps MultiScan and HMC write it, in metres and in
            the world of the poses, with y up. If up is another axis of the capture's world, the box is turned to it:
            where z is up, the point (x, y, z) of the world is (x, z, −y) in the file. The file has `center` and the
            eight corners of `positions`, each with `x`, `y` and `z`, and `rad_rot_about_y`, the box's rotation about y
            in radians, which takes its x to (cos, 0, −sin). Corners are called `top_left_front`, `bot_right_back` and
            so on; in the box's own axes left is −x, `bot` −y and front −z. Its size is given by the edges at
            `top_left_front`; the other corners are only compared. `scanmill sample FOLDER` writes such a file to begin
            with. If the app has clamped the bottom corners to a floor, the height is twice the distance from `center`
            to the top.

            The file is looked for beside the capture's own files first, then beside the pipeline. So that each capture
            has its own, `{id}` in its name is the capture's id: `cull-by-box: {box: "boxes/{id}.json"}`, in quotes
            because of the braces, is `boxes/desk.json` for the capture `desk`, also where captures are archives. A
            capture without its file fails.

            A capture of which nothing is left has a wrong box, or wrong poses, or stages above have left it no depth:
            it fails, or goes on with `if-empty: warn`.
            """,
        example: "- cull-by-box: {margin: 0.02}", revision: 8)

    /// Of the box; nil for the capture's own.
    private let file: String?
    let margin: Double
    let bottom: Double
    let side: Side
    let cullsDepth: Bool
    let centre: PixelCentre
    let consequence: Consequence
    let cullsMesh: Bool
    /// Whether a cloud of all frames is there, to which a box can be fitted.
    private let isBelowCloud: Bool

    public init(_ options: inout OptionReader) {
        let box = options.text(
            "box",
            "`capture` for the capture's own box, or a boundingbox.json beside the capture's files or the pipeline.",
            default: "capture")
        file = box == "capture" ? nil : box
        margin = options.number(
            "margin", "Grow the box on every side but a clamped floor; negative shrinks it.", default: 0, in: -10...10,
            unit: "m")
        bottom = options.number(
            "bottom", "Move the bottom face down; negative moves it up.", default: 0, in: -10...10, unit: "m")
        side = options.choice("keep", "Which points stay.", default: .inside)
        cullsDepth = options.flag("depth", "Zero the depth pixels of removed points as well.", default: false)
        centre = options.choice(
            "pixel-centre", "Where a depth pixel's coordinates are taken, unless an `unproject` above says it.",
            default: options.pixelCentreAbove ?? .integer)
        options.warn("pixel-centre", unless: cullsDepth, "with `depth: true`")
        consequence = options.choice("if-empty", "What to do when nothing is left of the capture.", default: .fail)
        cullsMesh = options.isBelow(FuseDepth.self)
        isBelowCloud =
            options.isBelow(VoxelDownsample.self, notUndoneBy: Unproject.self)
            || options.isBelow(SampleMesh.self, notUndoneBy: Unproject.self)
        if file == "cloud" {
            let fitting = FitBox.card.name + (consequence == .warn ? ": {if-empty: warn}" : "")
            options.fail(
                "box", "`box` is `cloud`, and a box is fitted to the cloud by a stage of its own",
                "put  - \(fitting)  above it, and take `box` out")
        } else if let file, !file.contains("."), !file.contains("/") {
            // A misspelt word is not a file name.
            options.fail(
                "box", "`box` is `\(file)`, which is neither `capture` nor the name of a JSON file",
                Nearest.suggestion(file, among: ["capture"]))
        }
        if let file { options.checkBraces("box", in: file) }
    }

    public var uses: Uses {
        let mesh: [Channel] = cullsMesh ? [.mesh] : []
        return Uses(
            frame: .init(
                needs: (file == nil ? [.box] : []) + (cullsDepth ? [.pose, .intrinsics] : []), wants: [.points],
                changes: [.points] + (cullsDepth ? [.depth] : [])),
            finish: .init(
                anyOf: cullsDepth || cullsMesh ? [] : [[.cloud, .points]], wants: [.cloud],
                prefers: cullsDepth || cullsMesh ? [[.cloud, .points]] : [], makes: replacesBox ? [.box] : [],
                changes: [.cloud] + mesh),
            files: [file].compactMap(\.self),
            instead: [
                [.cloud, .points]: [.pointsFromDepth],
                [.box]: [
                    .words(
                        "use a pipeline for captures without a box: where it is known which way is up, the ready-made "
                            + "\(pipelines.floor) for what stands on the floor or \(pipelines.table) on a table, else "
                            + "\(pipelines.room); or give a box in a file, with `box: FILE`"
                    )
                ],
            ])
    }

    /// The ready ones for captures without a box: two that need to know which way is up, and one for any.
    private var pipelines: (floor: String, table: String, room: String) {
        cullsMesh
            ? ("object-mesh-no-box", "object-mesh-on-table", "room-mesh")
            : ("object-no-box", "object-on-table", "room-nerf")
    }

    public func instead(of group: [Channel], for capture: Capture, _ label: String) -> [Uses.Instead]? {
        guard group == [.box] else { return nil }
        let fitting = isBelowCloud ? "put `fit-box` above it if the cloud is of what is to be kept, " : ""
        let upright =
            "\(fitting)use the ready-made \(pipelines.floor) (for what stands on the floor) or \(pipelines.table) (on "
            + "a table)"
        let file = "or give a box in a file, with  " + ShellWord.setting(label, "box=FILE")
        if capture.worldUp != nil { return [.words("\(upright), \(file)")] }
        let up = capture.likelyUp.advice { "--set \(Drop.reader).up=\($0.rawValue)" }
        return [.words("\(upright), and say which way is up, \(up)  or use the ready-made \(pipelines.room), \(file)")]
    }

    /// Whether a box from a file becomes the capture's. A box whose inside is taken away does not.
    private var replacesBox: Bool { file != nil && side == .inside }

    public func check(_ capture: Capture, _ label: String) throws(Problem) {
        if file == nil, let box = capture.box { try requireInside(grown(box), of: box, label) }
    }

    public func checkFiles(_ context: StageContext) throws(Problem) { try prepare(context) }

    public func prepare(_ context: StageContext) throws(Problem) {
        let box = try box(context)
        if let file { try requireInside(box, of: try context.boxInFile(file), context.label) }
    }

    /// - Parameter full: the box without its margins.
    /// - Throws: if these leave nothing of it that could be kept.
    private func requireInside(_ box: OrientedBox, of full: OrientedBox, _ label: String) throws(Problem) {
        guard side == .inside, consequence == .fail, box.isEmpty, !full.isEmpty else { return }
        throw BoxMargin.leavesNothing(of: full, ["margin": margin, "bottom": bottom].filter { $0.value < 0 }, label)
    }

    public func process(_ frame: inout Frame, in context: StageContext) throws(Problem) {
        let box = try box(context)
        if context.reads.contains(.points), let points = frame.points {
            frame.points = cull(points, box, context)
        }
        if cullsDepth { try cullDepth(&frame, box, context) }
    }

    public func finish(_ capture: inout Capture, in context: StageContext) throws(Problem) {
        if let file {
            context.warnUnlessMetric(capture, "the box of \(context.name(of: file)) is in metres")
        } else if margin != 0 || bottom != 0 {
            context.warnUnlessMetric(capture, "\(OptionText.number(margin == 0 ? bottom : margin)) m may be anything")
        }
        if let file, replacesBox {
            let given = try context.boxInFile(file)
            if let own = capture.box, own != given {
                context.note("the capture's own box was replaced by that of \(context.name(of: file))")
            }
            capture.box = given
            capture.channels.insert(.box)
        }
        if context.reads.contains(.cloud), let cloud = capture.cloud {
            capture.cloud = cull(cloud, try box(context), context)
        }
        if cullsMesh, let mesh = capture.mesh {
            let kept = try box(context).filter(mesh, keepInside: side == .inside)
            context.count(cut: kept, from: mesh)
            capture.mesh = kept
        }
        try requireSomething(of: capture, context)
        let nothing: Absence = "\(context.label) left nothing of it"
        if capture.cloud?.count == 0 { capture.absences[.cloud] = nothing }
        // A stage above may have left nothing already.
        if capture.mesh?.triangleCount == 0, capture.absences[.mesh] == nil { capture.absences[.mesh] = nothing }
    }

    /// What the stage culls, and what one of it is called. Counts are named after the cases.
    private enum Matter: String { case points = "point", triangles = "triangle", pixels = "depth pixel" }

    /// - Throws: when points, triangles, or pixels with depth were looked for and none is left.
    private func requireSomething(of capture: Capture, _ context: StageContext) throws(Problem) {
        var looked: [Matter] = context.reads.isDisjoint(with: [.points, .cloud]) ? [] : [.points]
        looked += (cullsMesh ? [.triangles] : []) + (cullsDepth ? [.pixels] : [])
        guard let lost = looked.first(where: { context.counted("\($0)-out") == 0 }) else { return }
        let name = lost.rawValue
        let count = context.counted("\(lost)-in")
        let summary =
            if count == 0 { "the stages above left no \(name) of the capture" } else if side == .inside {
                "no \(name) of the capture lies in the box"
            } else { "every \(name) lies in the box" }
        guard consequence == .fail else {
            // Once is enough.
            let isNew = count > 0 || capture.absences[lost == .triangles ? .mesh : .cloud] == nil
            if isNew { context.warn("\(summary), so nothing is left") }
            return
        }
        let goingOn = "or accept an empty result with  " + ShellWord.setting(context.label, "if-empty=warn")
        if count == 0 {
            let culprits = lost == .pixels ? "masks" : "masks and crops"
            throw Problem(
                .input, summary, fix: "loosen the \(culprits) above \(context.label), \(goingOn)"
            ).ofPipeline()
        }
        let box = try box(context)
        if let full = capture.box { try requireInside(box, of: full, context.label) }
        throw Problem(
            .input, summary, notes: [box.place, "\(count.counted(name, "was", "were")) looked at"],
            fix: "look at the box and the poses with  scanmill inspect , \(goingOn)")
    }

    /// The box that culls, with its margins: one for all frames, and for what has been made of them.
    private func box(_ context: StageContext) throws(Problem) -> OrientedBox {
        try context.once { () throws(Problem) in
            if let file { return grown(try context.boxInFile(file)) }
            if let box = context.capture.box { return grown(box) }
            // A stage above was to make it.
            if consequence == .warn { return .nowhere }
            let reason = context.capture.absences[.box]?.reason
            throw Problem(
                .input, reason ?? "the capture has no bounding box",
                fix: "accept an empty result with  " + ShellWord.setting(context.label, "if-empty=warn")
            ).ofPipeline(reason != nil)
        }
    }

    private func grown(_ box: OrientedBox) -> OrientedBox { box.grown(by: margin, bottom: bottom) }

    private func cull(_ cloud: PointCloud, _ box: OrientedBox, _ context: StageContext) -> PointCloud {
        let kept = box.filter(cloud, keepInside: side == .inside)
        context.count(cut: kept, from: cloud)
        return kept
    }

    private func cullDepth(_ frame: inout Frame, _ box: OrientedBox, _ context: StageContext) throws(Problem) {
        let (pose, camera) = (try frame.facts.requiredPose, try frame.facts.requiredIntrinsics)
        try DepthMask.apply(to: &frame, in: context) { depth in
            let view = context.capture.depthView(camera: camera, pose: pose)
            let removed = box.pixels(of: depth, seenBy: view, centre: centre, keepInside: side == .outside)
            let before = depth.validCount
            for pixel in removed { depth.metres[pixel] = 0 }
            return DepthMap.MaskCount(before: before, after: before - removed.count)
        }
    }
}

extension OrientedBox {
    /// Holds nothing.
    fileprivate static let nowhere = OrientedBox(
        center: .zero, worldFromBox: .identity, halfSize: Vector3(-1, -1, -1))
}
