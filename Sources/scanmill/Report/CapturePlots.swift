import ScanModel

/// The drawings of what was measured of one capture, each with its caption.
struct CapturePlots {
    let capture: CaptureFacts
    /// The capture's place in `report.json`.
    let pointer: String

    var html: HTML {
        guard capture.hasResult else { return HTML() }
        let measured = capture.measured
        let plots = [
            drawing, measured.motion.map(path), measured.coverage.map(faces),
            measured.sharpness.map { sharpness($0, measured) }, measured.depth.map(depth), frames, time,
        ].compactMap(\.self)
        return "<div class=\"plots\">\(plots)</div>\(lacks)"
    }

    private var drawing: HTML? {
        guard let file = capture.drawing, let drawing = capture.measured.drawing else { return nil }
        // The result may be another by the time somebody looks at an older page, or not be at hand where it was mailed.
        let full: HTML = "../../../\(HTML.address(capture.id))/\(HTML.address(drawing.file))"
        let count = Figure.count(drawing.count, "\(pointer)/drawing/\(drawing.parts)")
        return """
            <figure class="drawn"><a href="\(file)"><img loading="lazy" src="\(file)" alt="\(drawing.file)"></a>\
            <figcaption>\(count) \(drawing.parts); in the result <a href="\(full)">\(drawing.file)</a></figcaption></figure>
            """
    }

    private func path(_ motion: Measured.Motion) -> HTML {
        let at = "\(pointer)/motion"
        let unit = " \(motion.unit)"
        let speed = motion.speed.map {
            ", median \(Figure.measure($0.median, "\(unit)/s", "\(at)/speed-m-per-s/median"))" as HTML
        }
        let turning = motion.turning.map {
            ", turning \(Figure.measure($0.median, " °/s", "\(at)/turning-deg-per-s/median"))" as HTML
        }
        let fast = motion.tooFast.flatMap { $0 > 0 ? ", \(Figure.count($0, "\(at)/too-fast")) too fast" as HTML : nil }
        // As when the camera is laid down.
        let slow = motion.tooSlow.flatMap { $0 > 0 ? ", \(Figure.count($0, "\(at)/too-slow")) too slow" as HTML : nil }
        let count = motion.jumps.count
        let jumps: HTML? = count > 0 ? ", \(Figure.counted(count, "jump", "\(at)/jumps"))" : nil
        return Self.plot(
            PathFromAbove.draw(motion) ?? HTML(),
            """
            path from above, ● is the start, \(Figure.measure(motion.pathLength, unit, "\(at)/path-length-m"))\(speed)\(turning)\(fast)\(slow)\
            \(jumps)\(speedKey(motion, at))
            """)
    }

    /// What the colours of the path mean.
    private func speedKey(_ motion: Measured.Motion, _ at: String) -> HTML {
        guard let limit = PathFromAbove.reddest(motion) else {
            return capture.measured.stages["measure-motion"].flatMap(\.self).map { "; not measured: \($0)" } ?? HTML()
        }
        let figure = Figure.measure(
            limit, " \(motion.unit)/s", motion.isMetric ? "\(at)/fast-limit" : "\(at)/speed-m-per-s/highest")
        return "; coloured by speed, from blue to red at \(figure)"
    }

    private func faces(_ coverage: Measured.Coverage) -> HTML {
        let at = "\(pointer)/coverage"
        let goal = Figure.count(coverage.goal, "\(at)/goal")
        let miss = Figure.count(coverage.miss, "\(at)/miss")
        guard coverage.sides != nil else {
            return Self.plot(
                FaceCross.draw(coverage, at),
                "cameras aimed at each face of the box, goal \(goal); \(miss) aimed past it; \(Self.namedByTheApp)")
        }
        let ring = coverage.ring.map {
            "; largest gap in the ring \(Figure(pointer: "\(at)/ring/gap", value: $0.gap, words: "\(Int($0.gap.rounded()))°"))"
                as HTML
        }
        return Self.plot(
            FaceCross.draw(coverage, at),
            """
            pictures of each side of the box, goal \(goal)\(ring); \(Figure.count(coverage.absent, "\(at)/pictures/none")) \
            without the box, \(miss) aimed past it; \(Self.namedByTheApp)
            """)
    }

    /// It names them from within the box.
    private static let namedByTheApp: HTML = "sides as the app names them, seen from the front"

    private func sharpness(_ sharpness: Measured.Sharpness, _ measured: Measured) -> HTML {
        let at = "\(pointer)/sharpness"
        var caption: HTML =
            """
            sharpness of \(Figure.counted(sharpness.count, "frame", "\(at)/frames")): \
            \(Figure.measure(sharpness.lowest, "", "\(at)/lowest")) to \(Figure.measure(sharpness.highest, "", "\(at)/highest")), \
            median \(Figure.measure(sharpness.median, "", "\(at)/median"))
            """
        if let limit = sharpness.limit, let below = sharpness.belowLimit {
            caption += "; \(Figure.count(below, "\(at)/below-limit")) under \(Figure.measure(limit, "", "\(at)/limit"))"
        }
        if let predicted = measured.predictedBlur {
            caption +=
                "; predicted blur \(Figure.measure(predicted.median, " px", "\(pointer)/predicted-blur-pixels/median"))"
            if let correlation = measured.correlation {
                // Well below 0 where motion is what blurs the pictures.
                let figure = Figure.measure(correlation, "", "\(pointer)/blur-correlation")
                caption += ", correlated \(figure) with sharpness"
            }
        }
        return Self.plot(SharpnessBars.histogram(sharpness), caption)
    }

    private func depth(_ depth: Measured.Depth) -> HTML {
        let at = "\(pointer)/depth"
        let unit = " \(depth.unit)"
        let share = depth.share.map { "; \(Figure.share($0, "\(at)/share")) of the pixels" as HTML }
        let levels = depth.highShare.map {
            "; confidence \(Figure.share($0, "\(at)/confidence/high-share")) high" as HTML
        }
        return Self.plot(
            "\(DepthBars.range(depth))\(depth.confidence.flatMap(DepthBars.confidence))",
            """
            depth \(Figure.measure(depth.lowest, "", "\(at)/lowest")) to \(Figure.measure(depth.highest, unit, "\(at)/highest")), \
            median \(Figure.measure(depth.median, unit, "\(at)/median"))\(share)\(levels)
            """)
    }

    private var frames: HTML? {
        guard let frames = capture.frames else { return nil }
        let at = "\(pointer)/frames"
        let dropped = frames.droppingStages.map { stage -> HTML in
            " − \(Figure.count(frames.dropped(by: stage), "\(at)/dropped-by/\(stage)")) <code>\(stage)</code>"
        }
        return Self.plot(
            ShareBar.frames(frames) ?? HTML(),
            """
            \(Figure.counted(frames.source, "frame", "\(at)/source"))\(dropped) = \(Figure.count(frames.kept, "\(at)/kept")) kept, \
            \(Figure.share(frames.keptShare, "\(at)/kept-share"))
            """)
    }

    private var time: HTML? {
        guard let share = capture.share else { return nil }
        let at = "\(pointer)/run"
        let parts = share.times.filter { $0.seconds > 0 }
        let order = parts.sorted { $0.seconds > $1.seconds }
        let bar = ShareBar.draw(
            parts.enumerated().map { place, time in
                ShareBar.Part(
                    style: "s\(place % 6)", amount: time.seconds, title: "\(time.label): \(Wording.time(time.seconds))")
            },
            label: "time per stage: " + order.map { "\($0.label) \(Wording.time($0.seconds))" }.joined(separator: ", "))
        let most = order.prefix(3).map { time -> HTML in
            "<code>\(time.label)</code> \(Figure.time(time.seconds, "\(at)/stages/\(time.label)"))"
        }
        let longest: HTML? = most.isEmpty ? nil : "; most in \(most.joined(", "))"
        let memory = share.peakBytes.map { "; \(Figure.bytes($0, "\(at)/peak-bytes")) of memory" as HTML }
        return Self.plot(
            bar ?? HTML(), "took \(Figure.time(share.seconds, "\(at)/seconds"))\(longest)\(memory)")
    }

    /// A drawing with its caption below.
    static func plot(_ drawing: HTML, _ caption: HTML, wide: Bool = false) -> HTML {
        "<figure\(wide ? " class=\"wide\"" as HTML : HTML())>\(drawing)<figcaption>\(caption)</figcaption></figure>"
    }

    // MARK: - What was not measured

    /// In one line: a pipeline need not measure everything.
    private var lacks: HTML {
        let measured = capture.measured
        let lacks = [
            measured.motion == nil ? lack("path and speed", "measure-motion", needs: .pose) : nil,
            measured.coverage == nil ? lack("views of the box", "report-coverage", needs: .box) : nil,
            measured.sharpness == nil ? lack("sharpness", "measure-blur", needs: .color) : nil,
            measured.depth == nil ? lack("depth", "measure-depth", needs: .recordedDepth) : nil,
            // Its verdict is among the findings and in the details.
            measured.geometry == nil ? lack("geometry", "check-geometry", needs: .recordedDepth) : nil,
        ].compactMap(\.self)
        return lacks.isEmpty ? HTML() : "<p class=\"lack\">Not measured: \(lacks.joined(", ")).</p>"
    }

    /// With the reason: what the stage said, what the capture lacks, or that the pipeline has no such stage.
    /// - Parameter needed: the channel that the stage needs to measure anything.
    private func lack(_ what: String, _ stage: String, needs needed: Channel) -> HTML {
        if let reason = capture.measured.stages[stage] {
            "\(what) (\(reason ?? "no frame was left for it"))"
        } else if capture.channels?.contains(needed.name) == false {
            "\(what) (the capture has no \(needed.plainName))"
        } else {
            "\(what) (add <code>\(stage)</code>)"
        }
    }
}
