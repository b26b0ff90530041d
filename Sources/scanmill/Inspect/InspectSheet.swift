import ScanFormats
import ScanModel

extension FactSheet {
    /// - Parameter root: the capture's path as the user wrote it, for the places of problems.
    init(_ inspection: CaptureInspection, root: String) {
        let unit = inspection.isMetric ? "m" : "units"
        addCapture(inspection)
        addFiles(inspection)
        if let pictures = inspection.pictures { add(pictures) }
        if let video = inspection.video { add(video) }
        if let clock = inspection.clock { add(clock) }
        if let path = inspection.path { add(path, unit: unit) }
        if let intrinsics = inspection.intrinsics { add(intrinsics) }
        if let depth = inspection.depth { add(depth, unit: unit) }
        if let confidence = inspection.confidence { add(confidence) }
        addMotion(inspection)
        if let box = inspection.box { add(box, unit: unit) }
        add("missing", "Missing", inspection.missing.map { Fact($0.what, .text($0.reason)) })
        let findings = inspection.findings.map { (weight: $0.weight.rawValue, problem: $0.problem) }
        sections.append(Section(key: "problems", title: "Problems", content: .problems(findings, root: root)))
    }

    private mutating func addCapture(_ inspection: CaptureInspection) {
        add(
            "capture", nil,
            [
                Fact("capture", .text(inspection.id)),
                Fact("format", .text(inspection.recognition.format)),
                inspection.variant.isEmpty ? nil : Fact("variant", .text(inspection.variant)),
                Fact("recognised-by", .text(inspection.recognition.reason)),
                inspection.device.map { Fact("device", .text($0)) },
                inspection.frames.map { frames in
                    Fact(
                        "frames",
                        .phrase([
                            Part("", "source", .count(frames.sourceCount)),
                            Part(
                                ", of which ", "whole", .count(frames.wholeCount), " \(frames.wholeCount.isOrAre) whole"
                            ),
                        ]))
                },
                inspection.frames.map { _ in
                    Fact(
                        "metric", label: "world",
                        .flag(inspection.isMetric, yes: "in metres", no: "in units of unknown length"))
                },
                inspection.unlistedCount == 0
                    ? nil
                    : Fact(
                        "unlisted-files", label: "not listed", .count(inspection.unlistedCount, of: "name at the top")),
            ])
    }

    private mutating func addFiles(_ inspection: CaptureInspection) {
        let columns = [
            Column(key: "file", title: ""), Column(key: "content", title: ""),
            Column(key: "bytes", title: "size", isNumber: true), Column(key: "frames", title: "frames", isNumber: true),
            Column(key: "per-second", title: "per second", isNumber: true), Column(key: "pixels", title: "pixels"),
        ]
        add(
            "files", "Files", columns,
            inspection.streams.map { stream in
                [
                    .text(stream.file), .text(stream.content), stream.byteCount.map { .bytes($0) },
                    stream.frameCount.map { .count($0) }, stream.rate.map { .number($0, digits: 2) },
                    stream.size.map { .size($0) },
                ]
            })
    }

    private mutating func add(_ pictures: CaptureInspection.Pictures) {
        add(
            "pictures", "Pictures",
            [
                Fact("count", .count(pictures.count)),
                Fact("bytes", label: "size", .bytes(pictures.byteCount)),
                Fact("folders", .list(pictures.folders.map { .text($0.name) })),
                Fact(
                    "sizes", label: "pixels",
                    .list(
                        pictures.sizes.map { size in
                            .phrase([
                                Part("", "size", .size(size.size)),
                                Part(" (", "count", .count(size.count, of: "picture"), ")"),
                            ])
                        })),
                Fact("damaged", .tally(pictures.damagedCount, zero: "none", of: "picture")),
            ])
    }

    private mutating func add(_ video: CaptureInspection.Video) {
        let facts = video.facts
        add(
            "video", "Video",
            [
                Fact(
                    "codec",
                    .phrase([Part("", "name", .text(facts.codec)), Part(", ", "pixels", .text(facts.pixelFormat))])),
                Fact("size", .size(facts.size)),
                Fact(
                    "rotation-flag-degrees", label: facts.isUpright ? "turned by" : "rotation flag",
                    .tally(facts.rotation, zero: "none", of: "degree")),
                Fact("frames", .count(facts.frameCount)),
                facts.averageRate.map {
                    Fact("frames-per-second", label: "rate", .number($0, digits: 2, unit: "frames/s"))
                },
                video.duration.map { Fact("duration-s", label: "duration", .number($0, digits: 3, unit: "s")) },
                video.offTimeCount.map {
                    Fact(
                        "frames-off-time", label: "times",
                        .tally($0, zero: "as the cameras'", of: "frame off by more than half a frame"))
                },
            ])
    }

    private mutating func add(_ clock: CaptureInspection.Clock) {
        add(
            "clock", "Clock",
            [
                Fact("timestamps", .count(clock.timestampCount)),
                clock.rate.map { Fact("frames-per-second", label: "rate", .number($0, digits: 2, unit: "frames/s")) },
                clock.nominalRate.map {
                    Fact("nominal-frames-per-second", label: "nominal rate", .number($0, digits: 2, unit: "frames/s"))
                },
                clock.medianStep.map {
                    Fact("median-step-ms", label: "median step", .number($0 * 1000, digits: 3, unit: "ms"))
                },
                Fact("duration-s", label: "duration", .number(clock.duration, digits: 3, unit: "s")),
                Fact(
                    "gap-count", label: "gaps",
                    .tally(clock.gapCount, zero: "none", of: "step of more than 1.5 median steps")),
                clock.gaps.isEmpty
                    ? nil
                    : Fact(
                        "gaps", label: "",
                        .list(
                            clock.gaps.map { gap in
                                .phrase([
                                    Part("before frame ", "frame", .count(gap.frame)),
                                    Part(" (", "seconds", .number(gap.seconds, digits: 4, unit: "s")),
                                    Part(", ", "missing-frames", .count(gap.missingFrames, of: "frame"), " missing)"),
                                ])
                            })),
                clock.backwardCount == 0
                    ? nil : Fact("backward-steps", label: "not advancing", .count(clock.backwardCount, of: "step")),
            ])
    }

    private mutating func add(_ path: CaptureInspection.Path, unit: String) {
        add(
            "path", "Path",
            [
                Fact("poses", .count(path.poseCount)),
                Fact("length-\(unit)", label: "length", .number(path.length, digits: 3, unit: unit)),
                path.speeds.map {
                    Fact(
                        "median-speed-\(unit)-per-s", label: "median speed",
                        .number($0.median, digits: 3, unit: "\(unit)/s"))
                },
                path.speeds.map {
                    Fact(
                        "highest-speed",
                        .phrase([
                            Part("", "\(unit)-per-s", .number($0.highest, digits: 3, unit: "\(unit)/s")),
                            Part(" at frame ", "frame", .count($0.highestFrame)),
                        ]))
                },
                Fact("lowest-\(unit)", label: "lowest x, y, z", .vector(path.low, digits: 3, unit: unit)),
                Fact("highest-\(unit)", label: "highest x, y, z", .vector(path.high, digits: 3, unit: unit)),
                path.likelyUp.isEmpty
                    ? nil
                    : Fact(
                        "likely-up", label: "up, as it was held",
                        .text(path.likelyUp.map(\.rawValue).joined(separator: " or "))),
                path.attitude.map {
                    Fact(
                        "nearest-to-up",
                        .phrase([
                            Part("camera ", "camera-axis", .text($0.axis)),
                            Part(", ", "degrees-off", .number($0.axisAngle, digits: 1, unit: "°"), " off"),
                        ]))
                },
                path.attitude.map {
                    Fact(
                        "camera-up-degrees-off", label: "camera's own up", .number($0.upAngle, digits: 1, unit: "° off")
                    )
                },
            ])
    }

    private mutating func add(_ intrinsics: CaptureInspection.Intrinsics) {
        func range(_ key: String, _ range: ClosedRange<Double>) -> Fact {
            Fact("\(key)-px", label: key, .range(range, digits: 2, unit: "px"))
        }
        add(
            "intrinsics", "Intrinsics",
            [
                Fact("cameras", .count(intrinsics.cameraCount)),
                Fact(
                    "constant", label: "over time",
                    .flag(intrinsics.isConstant, yes: "constant", no: "changing from frame to frame")),
                Fact("size", label: "for pictures of", .size(intrinsics.size)),
                range("fx", intrinsics.fx), range("fy", intrinsics.fy), range("cx", intrinsics.cx),
                range("cy", intrinsics.cy),
                Fact("pixel-origin", .text(intrinsics.pixelOrigin.rawValue)),
                intrinsics.lenses.first.map { lens in
                    let others = intrinsics.lenses.count - 1
                    return Fact("lens", .text(others > 0 ? "\(lens); \(others.counted("other"))" : "\(lens)"))
                },
                intrinsics.fieldOfView.map { view in
                    Fact(
                        "field-of-view",
                        .phrase([
                            Part("", "horizontal-degrees", .number(view.horizontal, digits: 1, unit: "°")),
                            Part(" × ", "vertical-degrees", .number(view.vertical, digits: 1, unit: "°")),
                        ]))
                },
            ])
    }
}
