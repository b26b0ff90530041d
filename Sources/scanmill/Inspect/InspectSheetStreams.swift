import ScanFormats
import ScanModel

/// The sections of what is measured in a capture's streams.
extension FactSheet {
    mutating func add(_ depth: CaptureInspection.Depth, unit: String) {
        let repaired = depth.repaired
        var notDepths = [
            Part("", "nan", .count(repaired.nan), " NaN"),
            Part(", ", "infinite", .count(repaired.infinite), " infinite"),
            Part(", ", "negative", .count(repaired.negative), " negative"),
        ]
        // Only NumPy's arrays have such numbers.
        if repaired.beyond > 0 { notDepths.append(Part(", ", "beyond", .count(repaired.beyond), " beyond 16 bits")) }
        if repaired.missing > 0 { notDepths.append(Part(", ", "missing", .count(repaired.missing), " missing")) }
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
                    .phrase(notDepths)),
            ])
    }

    /// A row for each value while there are few of them, else one for each level.
    mutating func add(_ confidence: CaptureInspection.Confidence) {
        let names = ["low", "medium", "high"]
        let starts = [0, 1, 2].map { $0 == 0 ? 0 : ConfidenceMap.threshold(level: $0, in: confidence.range) }
        let present = confidence.counts.indices.filter {
            confidence.counts[$0] > 0 || confidence.range.count <= 8 && confidence.range.contains($0)
        }
        let rows: [(values: ClosedRange<Int>, level: String, pixels: Int)] =
            if present.count <= 8 {
                present.map { value in
                    (value...value, names[(starts.lastIndex { $0 <= value }) ?? 0], confidence.counts[value])
                }
            } else {
                zip(starts, zip(names, confidence.levelCounts)).enumerated().compactMap { level, row in
                    let last = level == 2 ? 255 : starts[level + 1] - 1
                    // A range of two values leaves none between low and high.
                    return row.0 <= last ? (row.0...last, row.1.0, row.1.1) : nil
                }
            }
        add(
            "confidence", "Confidence",
            [
                Column(key: "values", title: "value", isNumber: true), Column(key: "level", title: "level"),
                Column(key: "pixels", title: "pixels", isNumber: true),
                Column(key: "share", title: "share", isNumber: true),
            ],
            rows.map { row in
                [
                    .values(row.values), .text(row.level),
                    .count(row.pixels), .share(Double(row.pixels) / Double(max(1, confidence.pixelCount))),
                ]
            })
    }

    mutating func addMotion(_ inspection: CaptureInspection) {
        add(
            "motion", "Motion (start counted from the first frame, end from the last)",
            [
                Column(key: "kind", title: "file"), Column(key: "measures", title: "measures"),
                Column(key: "layout", title: "layout"), Column(key: "samples", title: "samples", isNumber: true),
                Column(key: "samples-per-second", title: "per second", isNumber: true),
                Column(key: "start-s", title: "starts", isNumber: true),
                Column(key: "end-s", title: "ends", isNumber: true),
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

    mutating func add(_ facts: CaptureInspection.Box, unit: String) {
        let hits =
            BoxFace.allCases.map { Part("\($0.rawValue) ", $0.rawValue, .count(facts.coverage.faces[$0] ?? 0), ", ") }
            + [
                Part("past it ", "miss", .count(facts.coverage.missCount)),
                Part(", from inside ", "inside", .count(facts.coverage.insideCount)),
            ]
        add(
            "box", "Box",
            [
                Fact("centre-\(unit)", label: "centre", .vector(facts.box.center, digits: 3, unit: unit)),
                Fact("size-\(unit)", label: "size", .vector(facts.size, digits: 3, unit: unit)),
                Fact("turn-about-y-degrees", label: "turn about y", .number(facts.yaw, digits: 1, unit: "°")),
                facts.box.floor.map { Fact("floor-y-\(unit)", label: "floor", .number($0, digits: 3, unit: unit)) },
                facts.coverage.cameraCount == 0 ? nil : Fact("cameras-facing", .phrase(hits)),
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
