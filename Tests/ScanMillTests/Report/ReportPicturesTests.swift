import Foundation
import ScanModel
import ScanPipeline
import TestSupport
import Testing

/// The pictures on the page: the captures' own, and what stages drew of results.
@Suite struct ReportPicturesTests: ReportSuite {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func aRunLeavesAReportWithPictures() throws {
        let result = try run()
        #expect(result.output.hasSuffix("\nthe report is out/.scanmill/report.html\n"), "\(result.output)")
        let page = try newestPage()
        let json = try StateJSON.read("\(folder.path)/\(page.replacingOccurrences(of: ".html", with: ".json"))")
        let capture = try #require(json["captures"]?.array?.first)
        #expect(capture["frames"]?["kept"]?.integer == 3)
        #expect(capture["frames"]?["dropped-by"]?["select-every"]?.integer == 57)
        #expect(try #require(capture["run"]?["seconds"]?.double) > 0)
        #expect(try #require(capture["run"]?["peak-bytes"]?.integer) > 1_000_000)
        let stages = try #require(capture["run"]?["stages"]?.object)
        #expect(
            stages.keys == [
                "read", "select-every", "decompress", "unproject", "voxel-downsample", "write-ply", "digests",
                "publish",
            ])
        // No more than eight pictures were taken, each 192 pixels wide, and the wall shows one of them.
        let strip = try folder.bytes("\(page.dropLast("report.html".count))pictures/0.jpg")
        let width = try #require(Self.jpegWidth(strip))
        #expect(width % 192 == 0 && (1...8).contains(width / 192))
        #expect(try folder.bytes("\(page.dropLast("report.html".count))wall-1.jpg").count > 1000)
        // The receipt knows nothing of time.
        let receipt = String(decoding: try folder.bytes("out/desk/receipt.json"), as: UTF8.self)
        #expect(!receipt.contains("seconds"))

        // A rerun has nothing to do: no report, no record.
        let runs = try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/out/.scanmill/runs")
        #expect(try run().output == "1 capture: 1 up to date; results are in out\n")
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/out/.scanmill/runs") == runs)
    }

    /// The pictures of a result that has not changed are kept, even when the capture itself has gone.
    @Test func picturesAreTakenOnce() throws {
        try FileManager.default.copyItem(atPath: QuickRun.sample, toPath: "\(folder.path)/desk")
        try folder.write(QuickRun.cloud, to: "quick.yaml")
        _ = try Scanmill.run(["run", "quick.yaml", "desk", "-o", "out"], in: folder.path)
        let page = try newestPage()
        try FileManager.default.removeItem(atPath: "\(folder.path)/desk")
        _ = try report()
        #expect(String(decoding: try folder.bytes(page), as: UTF8.self).contains("url(pictures/0.jpg)"))
        // Without what was kept there is a reason in their place.
        try FileManager.default.removeItem(atPath: "\(folder.path)/out/.scanmill/thumbnails")
        _ = try report()
        let html = String(decoding: try folder.bytes(page), as: UTF8.self)
        #expect(!html.contains("url(pictures/0.jpg)"))
        #expect(html.contains("there is nothing at this path"))
    }

    /// A sheet of many captures' pictures is large, and most are as they were.
    @Test func aWallThatIsAsItWasTakesNoRoom() throws {
        let runs = "\(folder.path)/out/.scanmill/runs"
        var walls: [String] = []
        for sample in ["polycam", nil, "tum"] {
            if let sample { try folder.copySample(sample, to: "in/\(sample)") }
            try folder.run("read, measure-motion", ["in", "-o", "out", "--force"]).require(0)
            let all = try FileManager.default.contentsOfDirectory(atPath: runs).map { "\(runs)/\($0)/wall-1.jpg" }
            walls += all.filter { !walls.contains($0) }
        }
        let files = walls.map(FileSystem.identity)
        try #require(files.count == 3 && files[0] != nil)
        #expect(files[0] == files[1] && files[1] != files[2])
    }

    /// A page is open in a browser while it is made again; and pictures of captures that are gone do not pile up.
    @Test func picturesStayWhileTheyAreMadeAgain() throws {
        try folder.copySample("polycam", to: "in/a")
        let run = try folder.run("read, measure-motion", ["in/a", "-o", "out"])
        try #require(run.status == 0, "\(run.errors)")
        let pictures = try newestPage().replacing("report.html", with: "pictures")
        try folder.write("old", to: "\(pictures)/7.jpg")
        let path = "\(folder.path)/\(pictures)/0.jpg"
        try #require(FileManager.default.fileExists(atPath: path))
        DispatchQueue.concurrentPerform(iterations: 3) { number in
            for _ in 0..<3 {
                if number == 0 {
                    for _ in 0..<2000 {
                        #expect(FileManager.default.fileExists(atPath: path))
                        usleep(100)
                    }
                } else {
                    #expect(throws: Never.self) { try Scanmill.run(["report", "out"], in: folder.path).require(0) }
                }
            }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder.path)/\(pictures)") == ["0.jpg"])
        #expect(try !newestHTML().contains("could not be written"))
    }

    @Test func ofFourPicturesAllAreShown() throws {
        var mini = MiniCapture()
        mini.frameCount = 4
        try mini.write(in: folder)
        #expect(try folder.run("read, decompress").status == 0)
        let strip = try StateJSON.read("\(folder.path)/out/.scanmill/thumbnails/mini.json")
        let frames = strip["cells"]?.array?.compactMap { $0["frame"]?.integer }
        #expect(frames == [0, 1, 2, 3], "\(strip)")
    }

    /// Runs stages that make a mesh of the sample.
    /// - Returns: the report's page, its figures of the mesh, and what a stage counted.
    private func shownMesh(
        _ stages: String, countedBy stage: String
    ) throws -> (page: String, figures: JSONValue, counts: JSONValue) {
        try folder.write(
            "name: mesh\nstages:\n- read\n- select-every: {count: 6}\n- decompress\n\(stages)\n", to: "mesh.yaml")
        _ = try Scanmill.run(["run", "mesh.yaml", QuickRun.sample, "-o", "out"], in: folder.path)
        let page = try newestPage()
        let receipt = try StateJSON.read("\(folder.path)/out/desk/receipt.json")
        let counts = receipt["stages"]?.array?.first { $0["name"]?.string == stage }?["counts"]
        let json = try StateJSON.read("\(folder.path)/\(page.replacingOccurrences(of: ".html", with: ".json"))")
        return (page, try #require(json["captures"]?.array?.first?["mesh"]), try #require(counts))
    }

    /// What is shown is what was written.
    @Test func ofACutMeshTheRestIsShown() throws {
        let (_, mesh, counts) = try shownMesh(
            """
            - fuse-depth: {voxel: 0.03}
            - cull-by-box: {margin: 0.02}
            - write-mesh
            - crop: {below: -0.5, from: origin}
            - sample-mesh
            - write-ply
            """, countedBy: "cull-by-box")
        for figure in ["vertices", "triangles", "area"] {
            let left = try #require(counts["\(figure)-out"]?.double)
            #expect(left > 0 && mesh[figure]?.double == left, "\(figure)")
        }
    }

    @Test func aMeshIsShownWithItsFiles() throws {
        let (page, mesh, counts) = try shownMesh(
            """
            - fuse-depth: {voxel: 0.2, min-piece: 0}
            - write-mesh: {file: coarse.ply}
            - fuse-depth: {voxel: 0.05}
            - write-mesh
            - write-mesh: {file: "meshes/{id}.glb"}
            """, countedBy: "fuse-depth[2]")
        for figure in ["vertices", "triangles", "area", "small-pieces"] {
            #expect(mesh[figure]?.double == counts[figure]?.double ?? 0, "\(figure)")
        }
        #expect(mesh["files"]?.array == [.string("desk_mesh.ply"), .string("meshes/desk.glb")])
        let html = String(decoding: try folder.bytes(page), as: UTF8.self)
        let row = try #require(html.firstMatch(of: #/<dt>Mesh</dt><dd>(.*?)</dd>/#)).1
        let triangles = try #require(mesh["triangles"]?.integer)
        #expect(row.contains("value=\"\(triangles).0\" data-of=\"/captures/0/mesh/triangles\">"))
        let links = row.matches(of: #/href="([^"]*)"/#).map { String($0.1) }
        #expect(links.map { $0.replacing("../../../", with: "") } == ["desk/desk_mesh.ply", "desk/meshes/desk.glb"])
        for link in links {
            let file = "\(folder.path)/\(page.dropLast("report.html".count))\(link)"
            #expect(FileManager.default.fileExists(atPath: file), "\(link)")
        }
        // A result keeps its files' names when its folder gets another.
        try FileManager.default.moveItem(atPath: "\(folder.path)/out/desk", toPath: "\(folder.path)/out/kitchen")
        _ = try report()
        let renamed = try newestHTML()
        #expect(renamed.contains("href=\"../../../kitchen/desk_mesh.ply\""))
    }

    /// The mesh rather than the cloud, small, with a link to the picture in the result.
    @Test func whatWasDrawnIsShown() throws {
        let (page, _, counts) = try shownMesh(
            """
            - fuse-depth: {voxel: 0.1}
            - sample-mesh: {spacing: 0.05}
            - render-cloud
            - render-mesh
            """, countedBy: "render-mesh")
        let shown = try report()["captures"]?.array?.first?["drawing"]
        #expect(shown?["file"]?.string == "desk_mesh.png")
        #expect(shown?["triangles"]?.integer == counts["triangles"]?.integer && shown?["points"] == nil)
        let pages = "\(folder.path)/\(page.dropLast("report.html".count))"
        func figure() throws -> (link: String, picture: String)? {
            let html = String(decoding: try folder.bytes(page), as: UTF8.self)
            return html.firstMatch(
                of: #/<figure class="drawn"><a href="([^"]*)"><img .*?<figcaption>.*?<a href="([^"]*)"/#
            )
            .map { (String($0.2), String($0.1)) }
        }
        let first = try #require(try figure())
        #expect(first.link == "../../../desk/desk_mesh.png")
        let picture = "\(page.dropLast("report.html".count))\(first.picture)"
        #expect(Self.jpegWidth(try folder.bytes(picture)) == 1200)
        // It is made once; without the picture nothing is shown, and nothing stays behind.
        try FileManager.default.removeItem(atPath: "\(pages)\(first.link)")
        _ = try report()
        #expect(try figure()?.picture == first.picture)
        try FileManager.default.removeItem(atPath: "\(folder.path)/out/.scanmill/drawings")
        _ = try report()
        #expect(try figure() == nil)
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/\(picture)"))
    }

    @Test func aCloudThatWasDrawnIsShownToo() throws {
        try folder.write(
            "name: cloud\nstages:\n- read\n- select-every: {count: 6}\n- decompress\n- unproject\n- voxel-downsample\n"
                + "- render-cloud: {cloud: false, view: front}\n- render-cloud: {view: front, width: 320, height: 240}\n",
            to: "cloud.yaml")
        _ = try Scanmill.run(["run", "cloud.yaml", QuickRun.sample, "-o", "out"], in: folder.path)
        let shown = try report()["captures"]?.array?.first?["drawing"]
        #expect(shown?["file"]?.string == "desk_cloud_front.png" && (shown?["points"]?.integer ?? 0) > 1000)
        let page = try newestPage()
        #expect(
            Self.jpegWidth(try folder.bytes("\(page.dropLast("report.html".count))pictures/0-drawing.jpg")) == 320)
    }

    /// It tells more of wrong geometry than the capture's own pictures.
    @Test func wrongGeometryIsShownAsItWasDrawn() throws {
        let stages =
            "read, {select-every: {step: 4}}, {decompress: {scale: 0.2}}, check-geometry, unproject, voxel-downsample, "
            + "{render-cloud: {view: front, width: 320, height: 240}}"
        let run = try folder.run(stages, [QuickRun.sample, "-o", "out"])
        try #require(run.status == 0, "\(run.errors)")
        #expect(try finding(of: "geometry")["captures"]?.array?.first?["id"]?.string == "desk")
        let card = try #require(try newestHTML().firstMatch(of: #/(?s)<article class="finding.*?</article>/#)?.0)
        #expect(card.contains("<div class=\"shot\"><img loading=\"lazy\" src=\"pictures/0-drawing.jpg\""))
    }

    /// What has no pictures of its own is known by what was drawn of it.
    @Test func theWallShowsDrawingsOfCapturesWithoutPictures() throws {
        try folder.write(
            """
            ply
            format ascii 1.0
            element vertex 3
            property float x
            property float y
            property float z
            end_header
            0 0 0
            1 0 0
            0 1 0

            """, to: "in/a.ply")
        let stages = "{read: {format: ply}}, voxel-downsample, {render-cloud: {view: front, width: 320, height: 240}}"
        #expect(try folder.run(stages, ["in/a.ply", "-o", "out"]).status == 0)
        let page = try newestPage()
        let html = String(decoding: try folder.bytes(page), as: UTF8.self)
        #expect(html.contains("<span class=\"p\" style=\"background-image:url(wall-1.jpg)"))
        #expect(html.contains("<p class=\"lack\">The capture has no pictures.</p>"))
        #expect(!html.contains("class=\"nopictures\"") && !html.contains("class=\"p none\""))
        let wall = try folder.bytes("\(page.dropLast("report.html".count))wall-1.jpg")
        #expect(Self.jpegWidth(wall) == 16 * 192)
        // Without it, only the reason is left.
        try FileManager.default.removeItem(atPath: "\(folder.path)/out/.scanmill/drawings")
        try FileManager.default.removeItem(atPath: "\(folder.path)/out/a/a_cloud_front.png")
        _ = try report()
        #expect(String(decoding: try folder.bytes(page), as: UTF8.self).contains("class=\"p none\""))
    }

    /// From a frame header of a JPEG.
    private static func jpegWidth(_ bytes: [UInt8]) -> Int? {
        var at = 2
        while at + 8 < bytes.count, bytes[at] == 0xff {
            if (0xc0...0xc2).contains(bytes[at + 1]) { return Int(bytes[at + 7]) << 8 | Int(bytes[at + 8]) }
            at += 2 + (Int(bytes[at + 2]) << 8 | Int(bytes[at + 3]))
        }
        return nil
    }
}
