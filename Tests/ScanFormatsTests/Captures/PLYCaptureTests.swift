import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

@Suite struct PLYCaptureTests {
    /// A file whose point i is (i, i/2, −i), green i.
    private func file(
        _ folder: TemporaryFolder, points: Int, colored: Bool = true, spoilt: Set<Int> = [],
        named name: String = "hall.ply"
    ) throws -> String {
        var bytes = Array(
            "ply\nformat binary_little_endian 1.0\nelement vertex \(points)\n".utf8)
        bytes += Array("property float x\nproperty float y\nproperty float z\n".utf8)
        if colored { bytes += Array("property uchar red\nproperty uchar green\nproperty uchar blue\n".utf8) }
        bytes += Array("end_header\n".utf8)
        for i in 0..<points {
            let values = [spoilt.contains(i) ? Float.nan : Float(i), Float(i) / 2, Float(-i)]
            for value in values { withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes += $0 } }
            if colored { bytes += [1, UInt8(truncatingIfNeeded: i), 3] }
        }
        try Data(bytes).write(to: URL(fileURLWithPath: "\(folder.path)/\(name)"))
        return "\(folder.path)/\(name)"
    }

    private func slices(of capture: Capture) throws -> [PointCloud] {
        let track = try #require(try capture.source.tracks(for: [.points], of: capture).first)
        var result: [PointCloud] = []
        for facts in capture.frames {
            var frame = Frame(facts)
            try track.advance(&frame, isWanted: true)
            result.append(try #require(frame.points))
        }
        _ = try track.finish()
        return result
    }

    @Test func aSceneOfSplatsIsWarnedOf() throws {
        let folder = try TemporaryFolder()
        let path = try file(folder, points: 3, colored: false)
        func warnings(_ path: String) throws -> [String] {
            try PLYCapture.open(try CaptureFormats.tree(at: path), rules: ReadRules()).warnings
        }
        #expect(try warnings(path) == [])
        let splats = """
            ply
            format ascii 1.0
            element vertex 1
            property float x
            property float y
            property float z
            property float f_dc_0
            property float opacity
            end_header
            1 2 3 4 5

            """
        try folder.write(splats, to: "splats.ply")
        let first = try warnings("\(folder.path)/splats.ply").first
        #expect(first?.hasPrefix("the file is a scene of Gaussian splats: only their centres are read") == true)
    }

    /// The number in the header is damaged, or somebody put two files together.
    @Test func moreThanTheHeaderAnnouncesIsWarnedOf() throws {
        let folder = try TemporaryFolder()
        func warnings(_ path: String) throws -> [String] {
            let capture = try PLYCapture.open(try CaptureFormats.tree(at: path), rules: ReadRules())
            let track = try #require(try capture.source.tracks(for: [.points], of: capture).first)
            for facts in capture.frames {
                var frame = Frame(facts)
                try track.advance(&frame, isWanted: true)
            }
            return try track.finish().warnings
        }
        let bytes = try Array(Data(contentsOf: URL(filePath: try file(folder, points: 3))))
        let warning =
            "the file holds more than the number of points in its header, 3: what follows them was left out; if they are "
            + "points, correct that number"
        // A record is 15 bytes; what is shorter may be the end of a line.
        for (count, wanted) in [(0, []), (14, []), (15, [warning]), (40, [warning])] {
            try folder.write(bytes + [UInt8](repeating: 7, count: count), to: "more.ply")
            #expect(try warnings("\(folder.path)/more.ply") == wanted)
        }
        let text = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\n"
        let one = "the file holds more than the number of points in its header, 1:"
        for (more, isMore) in [("", false), (" \n\n", false), ("\n4 5 6\n", true)] {
            try folder.write("\(text)end_header\n1 2 3\n\(more)", to: "text.ply")
            #expect(try warnings("\(folder.path)/text.ply").contains { $0.hasPrefix(one) } == isMore)
            // What follows may be faces.
            let faces = "element face 1\nproperty list uchar int vertex_indices\nend_header\n1 2 3\n"
            try folder.write("\(text)\(faces)\(more)", to: "faces.ply")
            #expect(try warnings("\(folder.path)/faces.ply") == [])
        }
    }

    @Test(arguments: [1, 65_535, 65_536, 65_537, 150_000], [true, false])
    func everyPointIsInOneSlice(points: Int, colored: Bool) throws {
        let folder = try TemporaryFolder()
        let tree = try CaptureFormats.tree(at: try file(folder, points: points, colored: colored))
        #expect(CaptureFormats.recognise(tree)?.format == "ply")
        let capture = try PLYCapture.open(tree, rules: ReadRules())
        #expect(capture.id == "hall")
        #expect(capture.channels == [.points])
        let slices = try slices(of: capture)
        #expect(slices.map(\.count).dropLast().allSatisfy { $0 == PLYCapture.sliceCount })
        #expect(slices.count == (points + 65_535) / 65_536)
        var i = 0
        for slice in slices {
            #expect((slice.colors != nil) == colored)
            for at in [0, slice.count / 2, slice.count - 1] {
                #expect(slice[at] == Vector3(Double(i + at), Double(i + at) / 2, -Double(i + at)))
                if let colors = slice.colors { #expect(colors[3 * at + 1] == UInt8(truncatingIfNeeded: i + at)) }
            }
            i += slice.count
        }
        #expect(i == points)
    }

    @Test func pointsThatAreNowhereAreLeftOutAndCounted() throws {
        let folder = try TemporaryFolder()
        let tree = try CaptureFormats.tree(at: try file(folder, points: 70_000, spoilt: [0, 5, 65_535, 69_999]))
        let capture = try PLYCapture.open(tree, rules: ReadRules())
        #expect(try slices(of: capture).map(\.count) == [65_536 - 3, 70_000 - 65_536 - 1])
        let track = try #require(try capture.source.tracks(for: [.points], of: capture).first)
        for facts in capture.frames {
            var frame = Frame(facts)
            try track.advance(&frame, isWanted: false)
            #expect(frame.points == nil)
        }
        #expect(try track.finish().warnings == ["4 points were left out: a coordinate is not a finite number"])
    }

    @Test func aFileThatEndsTooEarlyFailsWithItsPlace() throws {
        let folder = try TemporaryFolder()
        let path = try file(folder, points: 70_000)
        let whole = try Data(contentsOf: URL(fileURLWithPath: path))
        try whole.prefix(whole.count - 100).write(to: URL(fileURLWithPath: path))
        let problem = #expect(throws: Problem.self) {
            try PLYCapture.open(try CaptureFormats.tree(at: path), rules: ReadRules())
        }
        #expect(problem?.summary == "the PLY file ends after 69993 of 70000 points")
        #expect(problem?.place.file == "hall.ply")
    }

    /// How long a text should be only reading it tells.
    @Test func inspectionReadsThePoints() throws {
        let folder = try TemporaryFolder()
        func inspection(_ lines: [String]) throws -> CaptureInspection {
            let header = "ply\nformat ascii 1.0\nelement vertex 3\n"
            let properties = "property float x\nproperty float y\nproperty float z\nend_header\n"
            let text = header + properties + lines.map { "\($0)\n" }.joined()
            return try CaptureInspection.inspect(try folder.write(text, to: "text.ply"))
        }
        let whole = try inspection(["1 2 3", "4 5 6", "7 8 9"])
        #expect(whole.findings.isEmpty && whole.frames?.wholeCount == 1)
        let cut = try inspection(["1 2 3", "4 5 6"])
        #expect(cut.errors.map(\.problem.summary) == ["the PLY file ends after 2 of 3 points"])
        #expect(cut.frames?.wholeCount == 0)
        let bad = try inspection(["1 2 3", "4 x 6", "7 8 9"])
        #expect(bad.errors.map(\.problem.place.line) == [9])
        let more = try inspection(["1 2 3", "4 nan 6", "7 8 9", "1 2 3"])
        #expect(more.errors.isEmpty)
        let said = more.findings.map(\.problem.summary)
        #expect(said.first == "1 point was left out: a coordinate is not a finite number", "\(said)")
        #expect(said.last?.hasPrefix("the file holds more than the number of points in its header, 3:") == true)
        #expect(said.count == 2)
    }

    @Test func onlyAFileThatIsNamedIsACapture() throws {
        let folder = try TemporaryFolder()
        _ = try file(folder, points: 3)
        #expect(try CaptureSearch.captures(at: folder.path).isEmpty)
        let inspection = try CaptureInspection.inspect("\(folder.path)/hall.ply")
        #expect(inspection.recognition.format == "ply")
        #expect(inspection.errors.isEmpty)
        let found = try CaptureSearch.captures(at: "\(folder.path)/hall.ply")
        #expect(found.map(\.id) == ["hall"])
        try Data("plywood".utf8).write(to: URL(fileURLWithPath: "\(folder.path)/wood.ply"))
        #expect(throws: Problem.self) { try CaptureFormats.tree(at: "\(folder.path)/wood.ply") }
    }

    @Test func aFileWithoutPointsIsRefused() throws {
        let folder = try TemporaryFolder()
        let tree = try CaptureFormats.tree(at: try file(folder, points: 0))
        let problem = #expect(throws: Problem.self) { try PLYCapture.open(tree, rules: ReadRules()) }
        #expect(problem?.summary == "the PLY file holds no points")
    }
}
