import ScanModel

// The points that a dataset names, from which trainers start.
extension TransformsReader {
    mutating func readPoints(_ top: TransformsJSON.Top) throws(Problem) {
        guard let name = top.pointFile else {
            capture.absences[.cloud] = "\(file) names no points"
            return
        }
        let path: String?
        do throws(Problem) { path = try tree.file(named: name) } catch {
            return capture.loses(.cloud, error.at(file: file).oneLine, fix: "copy the points beside \(file)")
        }
        guard let path else {
            return capture.loses(
                .cloud, "\(name.shortened), which \(file) names, is not there", fix: "copy the points too")
        }
        capture.list(path, in: tree, [.cloud])
        do throws(Problem) { try readPoints(of: path, called: name, top) } catch {
            try capture.loses(.cloud, "points", in: path, for: error)
        }
    }

    private mutating func readPoints(
        of path: String, called name: String, _ top: TransformsJSON.Top
    ) throws(Problem) {
        var reader = try PLYReader(try tree.open(path))
        guard reader.pointCount <= rules.maxPoints else {
            throw Problem(
                .input, "there are \(reader.pointCount) points, more than \(rules.maxPoints)",
                fix: ReadRules.wayToAllowPoints(reader.pointCount, limit: rules.maxPoints)
            ).at(file: name)
        }
        var saved = PointCloud(of: reader.properties)
        while let chunk = try reader.next() { saved.append(chunk) }
        // Undoing what the dataset's tools did to the world may leave single precision.
        var cloud = top.original(saved)
        capture.leaveOutPointsOfNoPlace(of: &cloud, besides: reader.notFiniteCount, in: name)
        let excess = try reader.hasMore() ? reader.excess : nil
        let doubts = reader.warnings + [reader.colorDoubt, excess].compactMap(\.self)
        capture.warnings += doubts.map { "\(name): \($0)" }
        capture.cloud = cloud
        capture.channels.insert(.cloud)
    }
}
