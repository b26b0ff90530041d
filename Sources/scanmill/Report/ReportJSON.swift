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
        var object: JSONObject = ["tool": .string(Tool.nameAndVersion), "verdict": .string(verdict.text)]
        object["stands-out"] = verdict.standsOut.map { .string($0) }
        object["run"] = run.map(Self.json)
        object["summary"] = summary.json
        object["findings"] = .array(findings.map { $0.json(captures) })
        object["common-warnings"] = .array(
            commonWarnings.map { .object(["text": .string($0.text), "captures": .of($0.count)]) })
        object["notes"] = .array(notes.map { .object(["text": .string($0.text), "captures": .of($0.count)]) })
        object["earlier-runs"] = .of(earlierCount)
        object["trends"] = .array(trends.map(\.json))
        object["devices"] = .array(devices.map(\.json))
        object["stages"] = .array(stages.map(\.json))
        return object
    }

    private static func json(_ run: RunFacts) -> JSONValue {
        var object: JSONObject = ["name": .string(run.name)]
        object["began"] = run.began.map { .string($0) }
        object["ended"] = run.ended.map { .string($0) }
        object["pipeline-file"] = run.pipelineFile.map { .string($0) }
        object["set"] = run.settings.isEmpty ? nil : .of(run.settings)
        object["output"] = run.output.map { .string($0) }
        object["folder"] = run.folder.map { .string($0) }
        object["tool"] = run.tool.map { .string($0) }
        return .object(object)
    }
}

extension Summary {
    fileprivate var json: JSONValue {
        var object: JSONObject = [
            "captures": .of(captures), "ready": .of(ready), "look": .of(look), "failed": .of(failed),
            "waiting": .of(waiting), "older-results": .of(older), "unreadable": .of(unreadable), "ran": .of(ran),
            "run-ready": .of(runReady),
            "frames": Self.frames(framesSource, framesKept, keptShare), "bytes": .integer(bytes),
            "run-frames": Self.frames(runFramesSource, runFramesKept, runKeptShare), "run-bytes": .integer(runBytes),
        ]
        object["captures-per-minute"] = capturesPerMinute.map { .number($0) }
        object["seconds"] = seconds.map { .number($0) }
        object["peak-bytes"] = peakBytes.map { .integer($0) }
        return .object(object)
    }

    private static func frames(_ source: Int, _ kept: Int, _ share: Double?) -> JSONValue {
        var object: JSONObject = ["source": .of(source), "kept": .of(kept)]
        object["kept-share"] = share.map { .number($0) }
        return .object(object)
    }
}

extension FindingGroup {
    fileprivate func json(_ captures: [CaptureFacts]) -> JSONValue {
        .object([
            "kind": .string(kind.rawValue), "title": .string(title), "count": .of(findings.count),
            "captures": .array(
                findings.map { finding in
                    var object: JSONObject = [
                        "id": .string(captures[finding.capture].id), "text": .string(finding.text),
                    ]
                    object["fix"] = finding.fix.map { .string($0) }
                    object["value"] = finding.headline.map { .number($0.value) }
                    object["of"] = finding.headline.map { .string($0.label) }
                    object["expected"] = finding.headline.map { .string($0.expected) }
                    return .object(object)
                }),
        ])
    }
}

extension Trend {
    fileprivate var json: JSONValue {
        var object: JSONObject = ["name": .string(kind.rawValue), "value": .number(value), "history": .of(history)]
        object["usual"] = usual?.json
        object["change"] = change.map { .number($0) }
        return .object(object)
    }
}

extension Statistics.Band {
    fileprivate var json: JSONValue {
        .object(["low": .number(low), "median": .number(median), "high": .number(high)])
    }
}

extension DeviceRow {
    fileprivate var json: JSONValue {
        var object: JSONObject = ["name": .string(name), "captures": .of(captures), "odd": .of(odd)]
        object["dropped-share"] = droppedShare.map { .number($0) }
        object["sharpness"] = sharpness.map { .number($0) }
        if usual.runs > 0 {
            var earlier: JSONObject = ["runs": .of(usual.runs)]
            earlier["dropped-share"] = usual.droppedShare?.json
            earlier["sharpness"] = usual.sharpness?.json
            object["usual"] = .object(earlier)
        }
        return .object(object)
    }
}

extension StageRow {
    fileprivate var json: JSONValue {
        var object: JSONObject = [
            "name": .string(label), "frames-in": .of(framesIn), "frames-out": .of(framesOut), "failed": .of(failed),
            "reasons": .array(reasons.map { .object(["reason": .string($0.reason), "frames": .of($0.count)]) }),
        ]
        object["seconds"] = seconds.map { .number($0) }
        return .object(object)
    }
}

extension CaptureFacts {
    fileprivate var json: JSONValue {
        var object: JSONObject = ["id": .string(id), "status": .string(status.rawValue)]
        object["input"] = input.map { .string($0) }
        object["device"] = device.map { .string($0) }
        object["format"] = format.map { .string($0) }
        object["channels"] = channels.map { .of($0.sorted()) }
        object["problem"] = problem.map { .object($0.facts) }
        object["waits-for"] = waitsFor.map { .string($0) }
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
        object["blur-correlation"] = measured.correlation.map { .number($0) }
        object["coverage"] = measured.coverage?.json
        object["depth"] = measured.depth?.json
        if let geometry = measured.geometry {
            var verdict: JSONObject = ["verdict": .string(geometry.verdict), "reason": .string(geometry.reason)]
            verdict["fits-better"] = geometry.fitsBetter.map { .string($0) }
            object["geometry"] = .object(verdict)
        }
        let reasons = measured.stages.compactMapValues { $0 }
        if !reasons.isEmpty { object["not-measured"] = .object(JSONObject(reasons) { .string($0) }) }
        object["warnings"] = warnings.isEmpty ? nil : .of(warnings)
        object["notes"] = notes.isEmpty ? nil : .of(notes)
        if let share {
            var run: JSONObject = ["begin": .number(share.begin), "seconds": .number(share.seconds)]
            run["peak-bytes"] = share.peakBytes.map { .integer($0) }
            var times = JSONObject()
            for time in share.times { times[time.label] = .number(time.seconds) }
            if !share.times.isEmpty { run["stages"] = .object(times) }
            object["run"] = .object(run)
        }
        object["key"] = key.map { .string($0) }
        object["tool"] = tool.map { .string($0) }
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
        var object: JSONObject = [
            "frames": .of(count), "lowest": .number(lowest), "median": .number(median), "highest": .number(highest),
            "sharpest-frame": .of(sharpestFrame), "blurriest-frame": .of(blurriestFrame), "histogram": .of(histogram),
            "over-time": .array(moments.map { $0.map { .number($0) } ?? .null }),
        ]
        object["limit"] = limit.map { .number($0) }
        object["below-limit"] = belowLimit.map { .of($0) }
        return .object(object)
    }
}

extension Measured.Motion {
    fileprivate var json: JSONValue {
        var object: JSONObject = ["path-length-m": .number(pathLength)]
        if !isMetric { object["is-metric"] = .bool(false) }
        object["seconds"] = seconds.map { .number($0) }
        object["speed-m-per-s"] = speed?.json
        object["turning-deg-per-s"] = turning?.json
        object["too-fast"] = tooFast.map { .of($0) }
        object["too-slow"] = tooSlow.map { .of($0) }
        object["fast-limit"] = fastLimit.map { .number($0) }
        object["jumps"] = .of(jumpCount)
        object["lost-tracking"] = .of(lostTracking)
        return .object(object)
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
                var one: JSONObject = ["views": .of(side.views), "share": .number(side.share)]
                one["nearest"] = side.nearest.map { .number($0) }
                seen[face] = .object(one)
            }
            object["sides"] = .object(seen)
            object["pictures"] = .object(["shown": .of(shown), "none": .of(absent)])
        }
        if let ring {
            object["ring"] = .object(["gap": .number(ring.gap), "from": .number(ring.from), "to": .number(ring.to)])
        }
        if !sphere.isEmpty { object["sphere"] = .array(sphere.map { .of($0) }) }
        return .object(object)
    }
}

extension Measured.Depth {
    fileprivate var json: JSONValue {
        var object: JSONObject = [
            "lowest": .number(lowest), "p05": .number(p05), "median": .number(median), "p95": .number(p95),
            "highest": .number(highest),
        ]
        if !isMetric { object["is-metric"] = .bool(false) }
        object["share"] = share.map { .number($0) }
        if let confidence {
            let all = confidence.reduce(0, +)
            var levels: JSONObject = [
                "low": .of(confidence[0]), "medium": .of(confidence[1]), "high": .of(confidence[2]),
            ]
            if all > 0 { levels["high-share"] = .number(Double(confidence[2]) / Double(all)) }
            object["confidence"] = .object(levels)
        }
        return .object(object)
    }
}
