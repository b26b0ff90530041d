import ScanFormats
import ScanModel

extension Report {
    /// - Parameter root: the capture's path as the user wrote it, for the places of problems.
    init(_ inspection: CaptureInspection, root: String) {
        addCapture(inspection)
        addFiles(inspection)
        if let pictures = inspection.pictures { add(pictures) }
        if let video = inspection.video { add(video) }
        if let clock = inspection.clock { add(clock) }
        if let path = inspection.path { add(path, unit: inspection.isMetric ? "m" : "units") }
        if let intrinsics = inspection.intrinsics { add(intrinsics) }
        if let depth = inspection.depth { add(depth, unit: inspection.isMetric ? "m" : "units") }
        if let confidence = inspection.confidence { add(confidence) }
        addMotion(inspection)
        if let box = inspection.box { add(box, unit: inspection.isMetric ? "m" : "units") }
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
                            Part(", of which ", "usable", .count(frames.usableCount), " can be used"),
                        ]))
                },
                inspection.frames.map { _ in
                    Fact("metric", label: "world", .flag(inspection.isMetric, yes: "in metres", no: "in units of unknown length"))
                },
                inspection.otherFiles.isEmpty
                    ? nil : Fact("other-files", .list(inspection.otherFiles.prefix(20).map { .text($0) })),
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
                    .text(stream.file), .text(stream.content), .bytes(stream.byteCount),
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
                Fact("folders", .list(pictures.folders.map { .text("\($0)/") })),
                Fact(
                    "sizes", label: "pixels",
                    .list(
                        pictures.sizes.map { size in
                            .phrase([
                                Part("", "size", .size(size.size)), Part(" (", "count", .count(size.count, of: "picture"), ")"),
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
                Fact("codec", .phrase([Part("", "name", .text(facts.codec)), Part(", ", "pixels", .text(facts.pixelFormat))])),
                Fact("size", .size(PixelSize(facts.width, facts.height))),
                Fact("rotation-flag-degrees", label: "rotation flag", .tally(facts.rotation, zero: "none", of: "degree")),
                Fact("frames", .count(facts.frameCount)),
                facts.averageRate.map { Fact("frames-per-second", label: "rate", .number($0, digits: 2, unit: "frames/s")) },
                video.duration.map { Fact("duration-s", label: "duration", .number($0, digits: 3, unit: "s")) },
                video.offTimeCount.map {
                    Fact("frames-off-time", label: "times", .tally($0, zero: "as in the camera lines", of: "frame off by more than half a frame"))
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
                clock.medianStep.map { Fact("median-step-s", label: "median step", .number($0 * 1000, digits: 3, unit: "ms")) },
                Fact("duration-s", label: "duration", .number(clock.duration, digits: 3, unit: "s")),
                Fact("gap-count", label: "gaps", .tally(clock.gapCount, zero: "none", of: "step of more than 1.5 median steps")),
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
                    ? nil : Fact("backward-steps", label: "going back", .count(clock.backwardCount, of: "step")),
            ])
    }

    private mutating func add(_ path: CaptureInspection.Path, unit: String) {
        add(
            "path", "Path",
            [
                Fact("poses", .count(path.poseCount)),
                Fact("length-\(unit)", label: "length", .number(path.length, digits: 3, unit: unit)),
                path.speeds.map {
                    Fact("median-speed-\(unit)-per-s", label: "median speed", .number($0.median, digits: 3, unit: "\(unit)/s"))
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
                path.attitude.map {
                    Fact(
                        "nearest-to-up",
                        .phrase([
                            Part("camera ", "camera-axis", .text($0.axis)),
                            Part(", ", "degrees-off", .number($0.axisAngle, digits: 1, unit: "°"), " off"),
                        ]))
                },
                path.attitude.map {
                    Fact("camera-up-degrees-off", label: "camera's own up", .number($0.upAngle, digits: 1, unit: "° off"))
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
                Fact("constant", label: "over time", .flag(intrinsics.isConstant, yes: "constant", no: "changing from frame to frame")),
                intrinsics.size.map { Fact("size", label: "for pictures of", .size($0)) },
                range("fx", intrinsics.fx), range("fy", intrinsics.fy), range("cx", intrinsics.cx), range("cy", intrinsics.cy),
                Fact("pixel-origin", .text(intrinsics.pixelOrigin.rawValue)),
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

// MARK: - What is measured

extension Report {
    private mutating func add(_ depth: CaptureInspection.Depth, unit: String) {
        let repaired = depth.repaired
        add(
            "depth", "Depth",
            [
                Fact("frames", .count(depth.frameCount)),
                Fact("size", label: "pixels", .size(depth.size)),
                Fact(
                    "valid",
                    .phrase([
                        Part("", "share", .share(depth.validShare)), Part(" (", "count", .count(depth.validCount)),
                        Part(" of ", "of", .count(depth.pixelCount, of: "pixel"), ")"),
                    ])),
                depth.range.map { Fact("range-\(unit)", label: "range", .range($0, digits: 3, unit: unit)) },
                depth.median.map { Fact("median-\(unit)", label: "median", .number($0, digits: 3, unit: unit)) },
                Fact(
                    "not-depths", label: "not a depth",
                    .phrase([
                        Part("", "nan", .count(repaired.nan), " NaN"), Part(", ", "infinite", .count(repaired.infinite), " infinite"),
                        Part(", ", "negative", .count(repaired.negative), " negative"),
                    ])),
            ])
    }

    /// A row for each value while there are few of them, else one for each level.
    private mutating func add(_ confidence: CaptureInspection.Confidence) {
        let names = ["low", "medium", "high"]
        let starts = [0, 1, 2].map { $0 == 0 ? 0 : ConfidenceMap.threshold(level: $0, in: confidence.range) }
        let present = confidence.counts.indices.filter { confidence.counts[$0] > 0 || confidence.range.count <= 8 && confidence.range.contains($0) }
        let rows: [(values: ClosedRange<Int>, level: String, pixels: Int)] =
            if present.count <= 8 {
                present.map { value in
                    (value...value, names[(starts.lastIndex { $0 <= value }) ?? 0], confidence.counts[value])
                }
            } else {
                zip(starts, zip(names, confidence.levelCounts)).enumerated().map { level, row in
                    (row.0...(level == 2 ? 255 : starts[level + 1] - 1), row.1.0, row.1.1)
                }
            }
        add(
            "confidence", "Confidence",
            [
                Column(key: "values", title: "value", isNumber: true), Column(key: "level", title: "level"),
                Column(key: "pixels", title: "pixels", isNumber: true), Column(key: "share", title: "share", isNumber: true),
            ],
            rows.map { row in
                [
                    .values(row.values), .text(row.level),
                    .count(row.pixels), .share(Double(row.pixels) / Double(max(1, confidence.pixelCount))),
                ]
            })
    }

    private mutating func addMotion(_ inspection: CaptureInspection) {
        add(
            "motion", "Motion",
            [
                Column(key: "kind", title: "file"), Column(key: "measures", title: "measures"),
                Column(key: "layout", title: "layout"), Column(key: "samples", title: "samples", isNumber: true),
                Column(key: "samples-per-second", title: "per second", isNumber: true),
                Column(key: "start-s", title: "start", isNumber: true), Column(key: "end-s", title: "end", isNumber: true),
            ],
            inspection.motion.map { motion in
                [
                    .text(motion.kind.rawValue), .text(motion.kind.meaning), .text(motion.facts.layout.rawValue),
                    .count(motion.facts.sampleCount), motion.facts.rate.map { .number($0, digits: 2) },
                    motion.startOffset.map { .number($0, digits: 3, unit: "s") },
                    motion.endOffset.map { .number($0, digits: 3, unit: "s") },
                ]
            })
    }

    private mutating func add(_ facts: CaptureInspection.Box, unit: String) {
        let hits =
            BoxFace.allCases.map { Part("\($0.rawValue) ", $0.rawValue, .count(facts.faceHits[$0] ?? 0), ", ") }
            + [Part("past it ", "miss", .count(facts.missCount)), Part(", from inside ", "inside", .count(facts.insideCount))]
        add(
            "box", "Box",
            [
                Fact("centre-\(unit)", label: "centre", .vector(facts.box.center, digits: 3, unit: unit)),
                Fact("size-\(unit)", label: "size", .vector(facts.size, digits: 3, unit: unit)),
                Fact("turn-about-y-degrees", label: "turn about y", .number(facts.yaw, digits: 1, unit: "°")),
                facts.box.floor.map { Fact("floor-y-\(unit)", label: "floor", .number($0, digits: 3, unit: unit)) },
                Fact("cameras-facing", .phrase(hits)),
            ])
    }
}

extension MotionKind {
    fileprivate var meaning: String {
        switch self {
        case .rotationRate: "rotation rate"
        case .acceleration: "acceleration"
        case .magneticField: "magnetic field"
        case .attitude: "attitude"
        case .gravity: "gravity"
        }
    }
}
