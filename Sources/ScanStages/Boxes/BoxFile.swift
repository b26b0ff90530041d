import ScanFormats
import ScanModel
import ScanPipeline

/// Boxes from and to `boundingbox.json`.
extension StageContext {
    /// The box in a file that an option names, turned to the capture's own up.
    /// - Parameter file: as the option has it.
    func boxInFile(_ file: String) throws(Problem) -> OrientedBox {
        do throws(Problem) {
            let name = name(of: file)
            let read = try BoundingBoxJSON(try self.file(file), file: name)
            read.warnings.forEach { warn($0) }
            let edge = 2 * (read.box.halfSize.components.max() ?? 0)
            if capture.isMetric && edge > 100 {
                warn("the box of \(name) is \(edge.shortText(decimals: 0)) m long: its numbers are taken as metres")
            }
            // Such files hold boxes that stand on a floor along y.
            let box = read.box
            guard let up = capture.worldUp?.normalized else { return box }
            let turn = WorldTurn.bringing(Vector3(0, 1, 0), to: up)
            if turn == .none { return box }
            let other = turn == .yUpToZUp ? "z up" : "another up"
            note("the box of \(name) was turned like a world with y up, since the capture's has \(other)")
            if box.endingOnItsFloor == nil {
                warn("the box of \(name) is tilted, and a floor cuts it off: turned, it is whole")
            }
            return turn.apply(box)
        } catch {
            guard error.fault == .input else { throw error }
            // The option's fault, not the capture's.
            var problem = error
            problem.fault = .usage
            if problem.fix == nil {
                problem.fix = "correct the file, or name another with  " + ShellWord.setting(label, "box=FILE")
            }
            throw problem
        }
    }

    /// The box as the file holds it. Nil, with a warning, if the file cannot express it: a box that is upright in a
    /// world whose up is not y is tilted for its readers.
    func boundingBox(_ box: OrientedBox) throws(Problem) -> [UInt8]? {
        do throws(Problem) { return try BoundingBoxJSON.text(box.cutByAFloor) } catch {
            guard error.fault == .input else { throw error }
            warn("the box was left out: \(error.summary)")
            return nil
        }
    }
}
