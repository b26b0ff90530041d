import ScanModel
import ScanPipeline

/// `report.json`: every number that the page shows, at the place that the page's figures name.
extension NightReport {
    static let fileName = "report.json"

    /// The text, written one capture at a time: the values of ten thousand would take more memory than the text.
    var jsonText: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            for (key, value) in head.members { writer.member(key, value) }
            writer.key("captures")
            writer.array { writer in for capture in captures { writer.value(capture.json) } }
            if let pipeline { writer.member("pipeline", pipeline) }
        }
        return writer.drain() + [UInt8(ascii: "\n")]
    }

    /// Everything except the captures.
    private var head: JSONObject {
        [
            "tool": .string(Tool.nameAndVersion), "verdict": .string(verdict.text),
            "stands-out": .of(verdict.standsOut), "run": run.map(Self.json), "summary": summary.json,
            "findings": .array(findings.map { $0.json(captures) }),
            "common-warnings": .array(
                commonWarnings.map { .object(["text": .string($0.text), "captures": .of($0.count)]) }),
            "notes": .array(notes.map { .object(["text": .string($0.text), "captures": .of($0.count)]) }),
            "earlier-runs": .of(earlierCount), "trends": .array(trends.map(\.json)),
            "devices": .array(devices.map(\.json)), "stages": .array(stages.map(\.json)),
        ]
    }

    private static func json(_ run: RunFacts) -> JSONValue {
        let command = run.command
        let settings = command?.settings ?? []
        return .object([
            "name": .string(run.name), "began": .of(run.began), "ended": .of(run.ended),
            "pipeline-file": .of(command?.pipeline), "set": settings.isEmpty ? nil : .of(settings),
            "output": .of(command?.output), "folder": .of(command?.folder), "tool": .of(command?.tool),
        ])
    }
}

extension Summary {
    fileprivate var json: JSONValue {
        .object([
            "captures": .of(captures), "ready": .of(ready), "look": .of(look), "failed": .of(failed),
            "waiting": .of(waiting), "older-results": .of(older), "excluded": .of(excluded),
            "unreadable": .of(unreadable), "ran": .of(ran),
            "run-ready": .of(runReady), "run-failed": .of(runFailed),
            "frames": frames.json, "bytes": .integer(bytes),
            "run-frames": runFrames.json, "run-bytes": .integer(runBytes),
            "captures-per-minute": .of(capturesPerMinute), "seconds": .of(seconds), "peak-bytes": .of(peakBytes),
        ])
    }
}

extension FrameTotal {
    fileprivate var json: JSONValue {
        .object(["source": .of(source), "kept": .of(kept), "kept-share": .of(keptShare)])
    }
}

extension FindingGroup {
    fileprivate func json(_ captures: [CaptureFacts]) -> JSONValue {
        .object([
            "kind": .string(kind.rawValue), "title": .string(title), "count": .of(findings.count),
            "ran": .of(ran), "usual": isUsual ? .bool(true) : nil,
            "captures": .array(
                findings.map { finding in
                    .object([
                        "id": .string(captures[finding.capture].id), "text": .string(finding.text),
                        "fix": .of(finding.fix), "value": .of(finding.headline?.value),
                        "of": .of(finding.headline?.label), "expected": .of(finding.headline?.expected),
                    ])
                }),
        ])
    }
}

extension Trend {
    fileprivate var json: JSONValue {
        .object([
            "name": .string(kind.rawValue), "value": .number(value), "history": .of(history), "usual": usual?.json,
            "change": .of(change),
        ])
    }
}

extension Statistics.Band {
    fileprivate var json: JSONValue {
        .object(["low": .number(low), "median": .number(median), "high": .number(high)])
    }
}

extension DeviceRow {
    fileprivate var json: JSONValue {
        let earlier: JSONObject = [
            "runs": .of(usual.runs), "dropped-share": usual.droppedShare?.json, "sharpness": usual.sharpness?.json,
        ]
        return .object([
            "name": .string(name), "captures": .of(captures), "odd": .of(odd), "dropped-share": .of(droppedShare),
            "sharpness": .of(sharpness), "usual": usual.isKnown ? .object(earlier) : nil,
        ])
    }
}

extension StageRow {
    fileprivate var json: JSONValue {
        .object([
            "name": .string(label), "frames-in": .of(framesIn), "frames-out": .of(framesOut), "failed": .of(failed),
            "reasons": .array(reasons.map { .object(["reason": .string($0.reason), "frames": .of($0.count)]) }),
            "seconds": .of(seconds),
        ])
    }
}

extension CaptureFacts {
    fileprivate var json: JSONValue {
        var object: JSONObject = [
            "id": .string(id), "status": .string(status.rawValue), "input": .of(input), "device": .of(device),
            "format": .of(format), "channels": channels.map { .of($0.sorted()) }, "problem": .of(problem?.facts),
            "waits-for": .of(wait?.why),
        ]
        if let frames {
            object["frames"] = .object([
                "source": .of(frames.source), "kept": .of(frames.kept), "kept-share": .number(frames.keptShare),
                "dropped-by": .object(
                    frames.droppingStages.reduce(into: JSONObject()) { $0[$1] = .of(frames.dropped(by: $1)) }),
                "dropped": .array(
                    frames.losses.map {
                        .object([
                            "stage": .string($0.stage), "reason": .string($0.reason.text),
                            "example": .string($0.example),
                            "frames": .of($0.count),
                        ])
                    }),
            ])
        }
        if hasResult {
            object["files"] = .of(fileCount)
            object["bytes"] = .integer(byteCount)
        }
        object["sharpness"] = measured.sharpness?.json
        object["motion"] = measured.motion?.json
        object["predicted-blur-pixels"] = measured.predictedBlur?.json
        object["blur-correlation"] = .of(measured.correlation)
        object["coverage"] = measured.coverage?.json
        object["depth"] = measured.depth?.json
        object["geometry"] = measured.geometry.map {
            .object([
                "verdict": .string($0.verdict), "reason": .string($0.reason), "fits-better": .of($0.fitsBetter),
                "median-relative-error": .of($0.error),
            ])
        }
        object["mesh"] = measured.mesh?.json
        object["drawing"] = measured.drawing.map { .object(["file": .string($0.file), $0.parts: .of($0.count)]) }
        let reasons = measured.stages.compactMapValues { $0 }
        if !reasons.isEmpty { object["not-measured"] = .object(JSONObject(reasons) { .string($0) }) }
        object["warnings"] = warnings.isEmpty ? nil : .of(warnings)
        object["notes"] = notes.isEmpty ? nil : .of(notes)
        if let share {
            var times = JSONObject()
            for time in share.times { times[time.label] = .number(time.seconds) }
            object["run"] = .object([
                "reason": .of(reason), "begin": .number(share.begin), "seconds": .number(share.seconds),
                "peak-bytes": .of(share.peakBytes),
                "stages": share.times.isEmpty ? nil : .object(times),
            ])
        }
        object["key"] = .of(key)
        object["tool"] = .of(tool)
        return .object(object)
    }
}

extension Measured.Spread {
    fileprivate var json: JSONValue {
        .object([
            "lowest": .number(lowest), "median": .number(median), "p90": .number(p90), "highest": .number(highest),
        ])
    }
}

extension Measured.Sharpness {
    fileprivate var json: JSONValue {
        .object([
            "frames": .of(count), "lowest": .number(lowest), "median": .number(median), "highest": .number(highest),
            "sharpest-frame": .of(sharpestFrame), "blurriest-frame": .of(blurriestFrame), "histogram": .of(histogram),
            "over-time": .array(moments.map { $0.map { .number($0) } ?? .null }), "limit": .of(limit),
            "below-limit": .of(belowLimit),
        ])
    }
}

extension Measured.Motion {
    fileprivate var json: JSONValue {
        .object([
            "path-length-m": .number(pathLength), "is-metric": isMetric ? nil : .bool(false), "seconds": .of(seconds),
            "speed-m-per-s": speed?.json, "turning-deg-per-s": turning?.json, "too-fast": .of(tooFast),
            "too-slow": .of(tooSlow), "fast-limit": .of(fastLimit), "jumps": .of(jumps.count),
            "lost-tracking": .of(lostTracking),
        ])
    }
}

extension Measured.Coverage {
    fileprivate var json: JSONValue {
        var faces = JSONObject()
        for face in Self.faces { faces[face] = .of(aimed[face] ?? 0) }
        var object: JSONObject = ["faces": .object(faces), "miss": .of(miss), "goal": .of(goal)]
        if let sides {
            var seen = JSONObject()
            for face in Self.faces {
                guard let side = sides[face] else { continue }
                seen[face] = .object([
                    "views": .of(side.views), "share": .number(side.share), "nearest": .of(side.nearest),
                ])
            }
            object["sides"] = .object(seen)
            object["pictures"] = .object(["shown": .of(shown), "none": .of(absent)])
        }
        object["ring"] = ring.map {
            .object(["gap": .number($0.gap), "from": .number($0.from), "to": .number($0.to)])
        }
        object["sphere"] = sphere.isEmpty ? nil : .array(sphere.map { .of($0) })
        return .object(object)
    }
}

extension Measured.Depth {
    fileprivate var json: JSONValue {
        var object: JSONObject = [
            "lowest": .number(lowest), "p05": .number(p05), "median": .number(median), "p95": .number(p95),
            "highest": .number(highest), "is-metric": isMetric ? nil : .bool(false), "share": .of(share),
        ]
        if let confidence {
            object["confidence"] = .object([
                "low": .of(confidence[0]), "medium": .of(confidence[1]), "high": .of(confidence[2]),
                "high-share": .of(highShare),
            ])
        }
        return .object(object)
    }
}

extension Measured.Mesh {
    fileprivate var json: JSONValue {
        .object([
            "vertices": .of(vertices), "triangles": .of(triangles), "area": .number(area),
            "is-metric": isMetric ? nil : .bool(false), "small-pieces": .of(smallPieces),
            "files": files.isEmpty ? nil : .of(files),
        ])
    }
}
