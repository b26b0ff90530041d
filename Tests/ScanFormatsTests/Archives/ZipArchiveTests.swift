import Foundation
import ScanFormats
import ScanModel
import TestSupport
import Testing

/// Archives made by Python's `zipfile`, some of them with bytes changed afterwards.
@Suite struct ZipArchiveTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Runs `script` with `z`, a `ZipFile` that is being written, and `item`, which makes an entry's description.
    private func make(_ script: String, name: String = "scan.zip") throws -> String {
        let path = "\(folder.path)/\(name)"
        let result = try runPython(
            """
            import sys, zipfile, stat, warnings
            warnings.simplefilter('ignore')
            def item(name, mode=None, method=8):
                i = zipfile.ZipInfo('placeholder', (2024, 1, 2, 3, 4, 6))
                i.filename = name
                i.compress_type = method
                if mode is not None:
                    i.create_system = 3
                    i.external_attr = mode << 16
                return i
            z = zipfile.ZipFile(sys.argv[1], 'w', 8)
            \(script)
            z.close()
            """, [path])
        #expect(result.status == 0, "\(result.errors)")
        return path
    }

    private func refusal(_ script: String, _ limits: ArchiveLimits = ArchiveLimits()) throws -> Problem? {
        let path = try make(script, name: "bad.zip")
        let problem = problem { () throws(Problem) in _ = try ZipArchive(path: path, limits: limits) }
        #expect(problem?.fault == .input)
        #expect(problem?.place.file == path)
        return problem
    }

    private func text(_ tree: any CaptureTree, _ file: String) throws -> String {
        String(decoding: try tree.bytes(of: file, limit: 1000), as: UTF8.self)
    }

    // MARK: - Sound archives

    /// Unpacking a large file is a sign of life; nothing else tells of it before it ends.
    @Test func readingGivesSignsOfLife() throws {
        let path = try make("z.writestr(item('a.mp4'), bytes(1 << 16))")
        let source = try ZipArchive(path: path).open("a.mp4")
        let before = Heartbeat.count
        // So many that other tests' signs do not make up for them.
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1, alignment: 16)
        defer { buffer.deallocate() }
        var (pieces, bytes) = (0, 0)
        while case let count = try source.read(into: buffer), count > 0 {
            (pieces, bytes) = (pieces + 1, bytes + count)
        }
        #expect(bytes == 1 << 16)
        #expect(Heartbeat.count - before >= pieces)
    }

    @Test(arguments: [0, 8]) func isATreeLikeAFolder(method: Int) throws {
        let path = try make(
            """
            for name, text in [('b.json', '12345'), ('color/10.jpg', 'ten'), ('color/9.jpg', 'nine'), ('\u{e9}.txt', '')]:
                z.writestr(item(name, method=\(method)), text)
            z.writestr(item('empty/'), '')
            """)
        #expect(ZipArchive.isArchive(path))
        let tree = try ZipArchive(path: path)
        #expect(tree.name == "scan")
        #expect(tree.entries(in: "").map(\.name) == ["b.json", "color", "empty", "é.txt"])
        #expect(
            tree.entries(in: "").map(\.kind) == [.file(byteCount: 5), .folder, .folder, .file(byteCount: 0)])
        #expect(tree.entries(in: "color").map(\.name) == ["10.jpg", "9.jpg"])
        #expect(tree.entries(in: "nothing").isEmpty && tree.entries(in: "b.json").isEmpty)
        #expect(try text(tree, "color/9.jpg") == "nine")
        #expect(try text(tree, "é.txt") == "")
        #expect(tree.entry("nothing") == nil)
        // Two files at once, and more of one than the limit.
        let (one, other) = (try tree.open("b.json"), try tree.open("color/10.jpg"))
        #expect(one.byteCount == 5 && one.name == "b.json")
        #expect(try (one.readAll(limit: 5), other.readAll(limit: 5)) == (Array("12345".utf8), Array("ten".utf8)))
        #expect(throws: Problem.self) { try tree.bytes(of: "b.json", limit: 4) }
        for (file, summary) in [
            ("nothing", "there is no such file"), ("color", "expected a file, found a folder"),
        ] {
            let problem = problem { () throws(Problem) in _ = try tree.open(file) }
            #expect(problem?.summary == summary)
            #expect(problem?.place.file == file)
        }
    }

    @Test func storedFilesLieInTheArchive() throws {
        let path = try make(
            """
            z.writestr(item('packed.mp4'), 'x' * 100)
            z.writestr(item('stored.mp4', method=0), 'moving pictures')
            more = item('more.mp4', method=0)
            more.extra = b'\\x99\\x99\\x04\\x00more'
            z.writestr(more, 'more pictures')
            z.comment = b'a comment behind the directory, with PK\\x05\\x06 in it' * 3
            """)
        let tree = try ZipArchive(path: path)
        let location = try #require(tree.location(of: "stored.mp4"))
        let source = try FileSource(path: location.path, name: "part", range: location.range)
        #expect(location.path == path)
        #expect(try source.readAll(limit: 100) == Array("moving pictures".utf8))
        #expect(try tree.place("stored.mp4") == location)
        // A field of its own stands between the second one's name and its data.
        let other = try #require(tree.location(of: "more.mp4"))
        let more = try FileSource(path: other.path, name: "part", range: other.range)
        #expect(try more.readAll(limit: 100) == Array("more pictures".utf8))
        #expect(tree.location(of: "packed.mp4") == nil && tree.location(of: "nothing") == nil)
        // A file for other programs, without a name that could be left behind.
        let place = try tree.place("packed.mp4")
        #expect(try runCommand(["cat", place.path]).output == String(repeating: "x", count: 100))
        #expect(try tree.place("packed.mp4") == place)
        #expect(throws: Problem.self) { try tree.place("nothing") }
    }

    @Test(arguments: ["", "project/", "exports/project/"]) func folderAtTheTopIsTheTop(top: String) throws {
        let path = try make(
            """
            z.writestr('\(top)transforms.json', '{}')
            z.writestr('\(top)images/0.png', 'x')
            z.writestr('__MACOSX/\(top)._transforms.json', 'resource fork')
            z.writestr('.DS_Store', 'x')
            """)
        let tree = try ZipArchive(path: path)
        #expect(Set(tree.entries(in: "").map(\.name)).isSuperset(of: ["images", "transforms.json"]))
        #expect(tree.entries(in: "images").map(\.name) == ["0.png"])
        #expect(try text(tree, "transforms.json") == "{}")
    }

    @Test func folderOfPicturesIsNotTheTop() throws {
        let tree = try CaptureFormats.tree(at: try make("z.writestr('color/0.jpg', 'x')"))
        #expect(tree.entries(in: "").map(\.name) == ["color"])
    }

    @Test func largeArchivesAreRead() throws {
        let path = try make(
            """
            z.writestr('first.txt', 'one')
            with z.open(item('wide.txt'), 'w', force_zip64=True) as f: f.write(b'zip64')
            for i in range(70000): z.writestr(item(f'n/{i}', method=0), b'')
            """)
        let tree = try ZipArchive(path: path)
        #expect(tree.entries(in: "n").count == 70_000)
        #expect(try text(tree, "wide.txt") == "zip64")
    }

    /// As bsdtar packs a folder that is called `.`.
    @Test(arguments: [0, 8]) func namesMayBeginWithADot(method: Int) throws {
        let path = try make(
            """
            for name in ('./', './scan/'): z.writestr(item(name), '')
            for name, text in [('./scan/b.json', '12345'), ('./scan/color/9.jpg', 'nine'), ('./__MACOSX/._scan', 'x')]:
                z.writestr(item(name, method=\(method)), text)
            """)
        let tree = try ZipArchive(path: path)
        #expect(tree.entries(in: "").map(\.name) == ["b.json", "color"])
        #expect(try text(tree, "b.json") == "12345")
        #expect(try text(tree, "color/9.jpg") == "nine")
        // Stored files lie in the archive under the names that it has for them.
        #expect((tree.location(of: "color/9.jpg") != nil) == (method == 0))
        let place = try tree.place("color/9.jpg")
        let source = try FileSource(path: place.path, name: "part", range: place.range)
        #expect(try source.readAll(limit: 100) == Array("nine".utf8))
    }

    // MARK: - What is no file

    /// In archives made on Unix and, as its own system, on OS X.
    @Test(arguments: [3, 19]) func linksAndDevicesAreNotFollowed(system: Int) throws {
        let tree = try ZipArchive(
            path: try make(
                """
                plain = item
                def item(name, mode):
                    i = plain(name, mode)
                    i.create_system = \(system)
                    return i
                z.writestr(item('passwd', stat.S_IFLNK | 0o777), '/etc/passwd')
                z.writestr(item('pipe', stat.S_IFIFO | 0o644), '')
                z.writestr(item('disk', stat.S_IFBLK | 0o644), '')
                z.writestr(item('file', stat.S_IFREG | 0o644), 'text')
                """))
        let problem = problem { () throws(Problem) in _ = try tree.open("passwd") }
        #expect(problem?.summary == "expected a file, found a link, which is not followed inside an archive")
        #expect(throws: Problem.self) { try tree.open("pipe") }
        #expect(throws: Problem.self) { try tree.open("disk") }
        #expect(try text(tree, "file") == "text")
    }

    @Test func archivesInArchivesAreFiles() throws {
        let tree = try ZipArchive(path: try make("z.writestr('inner.zip', b'PK\\x03\\x04')"))
        #expect(tree.entry("inner.zip")?.byteCount == 4)
    }

    // MARK: - Hostile archives

    @Test(arguments: [
        "../out.txt", "a/../../out.txt", "/etc/passwd", "C:/windows", #"..\\out.txt"#, "a//b", "..", "a/./b",
        #"new\nline"#, "./../a", ".//a", "./C:/windows", ".",
    ])
    func namesThatLeadOutAreRefused(name: String) throws {
        let problem = try refusal("z.writestr(item('\(name)'), 'x')")
        #expect(problem?.summary.hasPrefix("the archive holds a name that leads out of it") == true, "\(name)")
    }

    /// No filesystem could hold it, were it unpacked.
    @Test func namesThatAreTooLongAreRefused() throws {
        let problem = try refusal("z.writestr(item('a/' + 256 * 'n'), 'x')")
        #expect(problem?.summary.hasPrefix("the archive holds a name that leads out of it, or that systems") == true)
        #expect(try ZipArchive(path: try make("z.writestr('a/' + 255 * 'n', 'x')")).entries(in: "").count == 1)
    }

    /// As some programs for Windows pack, among them older ones of Microsoft.
    @Test func backslashesForSlashesAreNamed() throws {
        let problem = try refusal(
            #"""
            windows = item('scan\\color\\1.jpg')
            windows.create_system = 0
            z.writestr(windows, 'x')
            """#)
        #expect(problem?.summary == "the names in the archive have backslashes where ZIP archives have slashes")
        #expect(problem?.notes == [#"one is scan\color\1.jpg"#])
        #expect(problem?.fix?.contains("unzip") == true)
        // Info-ZIP's own program does what the fix says.
        try runCommand(["unzip", "-q", "bad.zip", "-d", "unpacked"], in: folder.path).require(1)
        #expect(try folder.bytes("unpacked/scan/color/1.jpg") == Array("x".utf8))
    }

    /// Each level would be a folder with its whole path for a name.
    @Test func namesThatAreTooDeepAreRefused() throws {
        let problem = try refusal("z.writestr(item('a/' * 16000 + 'b'), 'x')")
        #expect(problem?.notes.first?.count ?? .max < 300)
        let deep = try ZipArchive(path: try make("z.writestr(item('a/' * 63 + 'b'), 'x'); z.writestr(item('c'), 'x')"))
        #expect(deep.entry(String(repeating: "a/", count: 63) + "b")?.byteCount == 1)
    }

    @Test func zeroByteEndsANameWithoutHarm() throws {
        let path = try make("z.writestr(item('aXb.txt'), 'x')")
        var bytes = try folder.bytes("scan.zip")
        for index in bytes.indices.dropLast(2) where bytes[index...].starts(with: Array("aXb".utf8)) {
            bytes[index + 1] = 0
        }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        // libzip takes it for a character of the old DOS set, a space.
        #expect(try ZipArchive(path: path).entries(in: "").map(\.name) == ["a b.txt"])
    }

    @Test(arguments: ["('a', 'a')", "('a', 'a/b')", "('a/b', 'a')", "('a/b/c', 'a/b')", "('a', './a')"])
    func collidingNamesAreRefused(names: String) throws {
        let problem = try refusal("for n in \(names): z.writestr(item(n), 'x')")
        #expect(problem?.summary.hasPrefix("the archive holds two entries called a") == true)
    }

    /// A few names of many levels would fill the memory with the paths of their folders.
    @Test func deepPathsAreRefusedBeforeTheyAreListed() throws {
        let deep = try refusal(
            "for n in range(40): z.writestr(item('/'.join(f'{n:03}{i:03}' + 'x' * 240 for i in range(60))), '')")
        #expect(deep?.summary == "the archive holds too many folders inside each other")
        _ = try ZipArchive(path: try make("for n in range(4000): z.writestr(item(f'scans/{n}/color/0.jpg'), '')"))
    }

    @Test func bombsAreRefusedBeforeTheyGoOff() throws {
        let ratio = try refusal("z.writestr('zeros', bytes(64 << 20))")
        #expect(ratio?.summary.hasSuffix("bytes for each of the archive's") == true)
        #expect(ratio?.fix?.contains("read.max-archive-ratio") == true)
        // Dense, but small.
        _ = try ZipArchive(path: try make("z.writestr('zeros', bytes(8 << 20))"))
        var limits = ArchiveLimits()
        limits.byteCount = 1000
        #expect(
            try refusal("z.writestr('a', 'x' * 600); z.writestr('b', 'x' * 600)", limits)?.summary
                == "the archive holds more than 1000 bytes")
        // What Finder adds is not read and does not count.
        let notes = try refusal("z.writestr('a', 'x' * 1200); z.writestr('__MACOSX/._a', 'x' * 600)", limits)
        #expect(notes?.fix?.contains("read.max-archive-bytes=1200 ") == true)
        limits.entryCount = 2
        #expect(
            try refusal("for i in range(3): z.writestr(str(i), '')", limits)?.summary == "the archive holds 3 entries")
        // The size in the directory is a lie.
        let path = try make("z.writestr('zeros', bytes(1 << 20))")
        var bytes = try folder.bytes("scan.zip")
        let directory = try #require(bytes.indices.first { bytes[$0...].starts(with: [0x50, 0x4B, 1, 2]) })
        for header in [(0, 22), (directory, 24)] {
            bytes.replaceSubrange(header.0 + header.1..<header.0 + header.1 + 4, with: [100, 0, 0, 0])
        }
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let tree = try ZipArchive(path: path)
        #expect(throws: Problem.self) { try tree.bytes(of: "zeros", limit: 1 << 30) }
    }

    /// libzip's own table of millions would take the memory before anybody could refuse it: its last entry is damaged here,
    /// which libzip would say.
    @Test func entriesAreCountedBeforeLibzipReadsThem() throws {
        var limits = ArchiveLimits()
        limits.entryCount = 2
        // Usual, with ZIP64, and with a number that began at 0 again.
        let kinds: [(limit: Int, count: UInt8?, counted: Int)] = [(65_535, nil, 4), (2, nil, 4), (65_535, 0, 3)]
        for (limit, count, counted) in kinds {
            let path = try make(
                "zipfile.ZIP_FILECOUNT_LIMIT = \(limit)\nfor i in range(4): z.writestr(str(i), '')")
            var bytes = try folder.bytes("scan.zip")
            let entry = try #require(bytes.indices.last { bytes[$0...].starts(with: [0x50, 0x4B, 1, 2]) })
            let end = try #require(bytes.indices.last { bytes[$0...].starts(with: [0x50, 0x4B, 5, 6]) })
            bytes[entry] = 0
            if let count { bytes[end + 10] = count }
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            let problem = problem { () throws(Problem) in _ = try ZipArchive(path: path, limits: limits) }
            #expect(problem?.summary == "the archive holds \(counted) entries")
        }
    }

    @Test func overlappingEntriesAreRefused() throws {
        let path = try make("for n in 'abc': z.writestr(item(n, method=0), 'x' * 1000)")
        var bytes = try folder.bytes("scan.zip")
        // All directory entries point at the first file, and the others are cut out, as in the known bombs.
        let entries = bytes.indices.filter { bytes[$0...].starts(with: [0x50, 0x4B, 1, 2]) }
        let end = try #require(bytes.indices.last { bytes[$0...].starts(with: [0x50, 0x4B, 5, 6]) })
        let second = try #require(bytes.indices.dropFirst().first { bytes[$0...].starts(with: [0x50, 0x4B, 3, 4]) })
        for entry in entries { bytes.replaceSubrange(entry + 42..<entry + 46, with: [0, 0, 0, 0]) }
        let start = UInt32(second)
        bytes.replaceSubrange(
            end + 16..<end + 20, with: (0..<4).map { UInt8(truncatingIfNeeded: start >> ($0 * 8)) })
        bytes.removeSubrange(second..<entries[0])
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let problem = problem { () throws(Problem) in _ = try ZipArchive(path: path) }
        #expect(problem?.summary == "the archive's entries overlap")
    }

    // MARK: - Damage

    @Test func damagedDataIsNoticed() throws {
        let path = try make("z.writestr(item('a.txt', method=0), 'text that is stored')")
        var bytes = try folder.bytes("scan.zip")
        let place = try #require(bytes.indices.first { bytes[$0...].starts(with: Array("stored".utf8)) })
        bytes[place] ^= 1
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let tree = try ZipArchive(path: path)
        let problem = problem { () throws(Problem) in _ = try tree.bytes(of: "a.txt", limit: 100) }
        #expect(problem?.summary == "the file is damaged in its archive")
        #expect(problem?.place.file == "a.txt")
        #expect(problem?.notes == ["libzip says: CRC error"])
    }

    /// The directory says of a stored file that fewer bytes of it are packed than it has.
    @Test func storedFilesHaveOneSize() throws {
        let path = try make("z.writestr(item('a', method=0), 'four')")
        var bytes = try folder.bytes("scan.zip")
        let directory = try #require(bytes.indices.first { bytes[$0...].starts(with: [0x50, 0x4B, 1, 2]) })
        bytes[directory + 20] = 1
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let tree = try ZipArchive(path: path)
        #expect(tree.location(of: "a") == nil)
        let problem = problem { () throws(Problem) in _ = try tree.bytes(of: "a", limit: 100) }
        #expect(problem?.fault == .input)
        #expect(problem?.place.file == "a")
    }

    @Test func encryptedFilesAreNamed() throws {
        let path = try make("z.writestr(item('a.txt', method=0), 'text')")
        var bytes = try folder.bytes("scan.zip")
        let directory = try #require(bytes.indices.first { bytes[$0...].starts(with: [0x50, 0x4B, 1, 2]) })
        bytes[6] |= 1
        bytes[directory + 8] |= 1
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let tree = try ZipArchive(path: path)
        let problem = problem { () throws(Problem) in _ = try tree.open("a.txt") }
        #expect(problem?.summary == "expected a file, found a file that is encrypted in its archive")
        // Nothing in it can be recognised, which is no matter of its format.
        let unknown = TestSupport.problem { () throws(Problem) in _ = try CaptureFormats.format(of: tree) }
        #expect(unknown?.summary == "the archive is encrypted")
        let search = try CaptureSearch(at: path)
        #expect(search.unreadable.map(\.problem.summary) == ["the archive is encrypted"])
    }

    @Test func aPackingThatIsNotReadIsNamed() throws {
        let path = try make("z.writestr(item('a.txt', method=0), 'text')")
        var bytes = try folder.bytes("scan.zip")
        let directory = try #require(bytes.indices.first { bytes[$0...].starts(with: [0x50, 0x4B, 1, 2]) })
        // Deflate64, which no libzip reads; whether it reads LZMA depends on how it was built.
        bytes[8] = 9
        bytes[directory + 10] = 9
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let tree = try ZipArchive(path: path)
        let problem = problem { () throws(Problem) in _ = try tree.open("a.txt") }
        #expect(problem?.summary == "expected a file, found a file that its archive holds packed with Deflate64")
        let unknown = TestSupport.problem { () throws(Problem) in _ = try CaptureFormats.format(of: tree) }
        #expect(unknown?.summary == "the archive is packed with Deflate64, which is not read")
        #expect(unknown?.fix == "unpack it, or pack the capture again with Deflate, as `zip -r` does")
    }

    /// As Windows packs a large video beside small files: its reader would say that the video is missing.
    @Test func oneFileThatCannotBeUnpackedIsNamed() throws {
        let path = try make(
            "z.writestr(item('images/1.jpg', method=0), b'\\xff\\xd8\\xff'); z.writestr(item('big.mp4', method=0), 'video')"
        )
        var bytes = try folder.bytes("scan.zip")
        let name = Array("big.mp4".utf8)
        let places = bytes.indices.filter { bytes[$0...].starts(with: name) }
        try #require(places.count == 2)
        // Behind the local header of 30 bytes, and the directory's of 46.
        bytes[places[0] - 30 + 8] = 9
        bytes[places[1] - 46 + 10] = 9
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let archive = try ZipArchive(path: path)
        #expect(CaptureFormats.recognise(archive)?.format == PictureFolderCapture.name)
        let found = problem { () throws(Problem) in _ = try CaptureFormats.format(of: archive) }
        #expect(found?.summary == "the archive is packed with Deflate64, which is not read")
        #expect(found?.notes == ["1 of 2 files is, such as big.mp4"])
    }

    /// Cut anywhere, an archive is refused; its directory stands at its end.
    @Test func everyCutIsNoticed() throws {
        let path = try make("z.writestr('a.txt', 'text' * 9)\nz.writestr('b/c.txt', 'more')")
        let whole = try folder.bytes("scan.zip")
        for count in 0..<whole.count {
            try Data(whole[..<count]).write(to: URL(fileURLWithPath: path))
            let problem = problem { () throws(Problem) in _ = try ZipArchive(path: path) }
            // Fewer do not tell what they were the beginning of.
            let summary =
                count == 0
                ? "the archive is empty: it holds not one byte"
                : count < 4 ? "the archive cannot be read" : "the archive is cut off"
            #expect(problem?.summary == summary, "\(count)")
            if count < 4 { continue }
            #expect(problem?.place.byte == Int64(count) && problem?.place.byteCount == Int64(count))
            #expect(problem?.fix == "the copy is incomplete: copy the archive again")
        }
    }

    /// As a copy has it that went on after an error.
    @Test func whatIsMissingInTheMiddleIsNoticed() throws {
        let path = try make("z.writestr(item('a.txt', method=0), 'text' * 9)\nz.writestr('b/c.txt', 'more')")
        let whole = try folder.bytes("scan.zip")
        try Data(whole[..<40] + whole[47...]).write(to: URL(fileURLWithPath: path))
        let problem = problem { () throws(Problem) in _ = try ZipArchive(path: path) }
        #expect(problem?.summary == "the archive lacks 7 bytes" && problem?.place.file == path)
        // The rest of a block may stand behind it.
        try Data(whole[..<40] + whole[47...] + [UInt8](repeating: 0, count: 300)).write(to: URL(fileURLWithPath: path))
        let padded = TestSupport.problem { () throws(Problem) in _ = try ZipArchive(path: path) }
        #expect(padded?.summary == "the archive lacks 7 bytes", "\(String(describing: padded))")
        #expect(padded?.notes.last == "300 bytes that are not its own follow its end")
    }

    /// As after a copy as text, or with a program put before it that unpacks it.
    @Test(arguments: [0, 40, 100]) func whatIsTooMuchIsNoticed(place: Int) throws {
        let path = try make("z.writestr(item('a.txt', method=0), 'text' * 9)\nz.writestr('b/c.txt', 'more')")
        let whole = try folder.bytes("scan.zip")
        try Data(whole[..<place] + Array("more".utf8) + whole[place...]).write(to: URL(fileURLWithPath: path))
        let problem = problem { () throws(Problem) in _ = try ZipArchive(path: path) }
        #expect(problem?.summary == "the archive has 4 bytes too many before its directory")
        let note = "they stand before its first file, as a program does that unpacks it"
        #expect(problem?.notes == (place == 0 ? [note] : []))
        let way = place == 0 ? "unpack it into a folder, or" : "the copy is damaged:"
        #expect(problem?.fix == "\(way) copy the archive again" && problem?.place.file == path)
    }

    /// As `zip -s` makes them: the end record counts the parts before it, and where its directory begins.
    @Test func aSplitArchiveIsToldFromACutOne() throws {
        let path = try make("z.writestr('a.txt', 'text' * 9)")
        var end = try folder.bytes("scan.zip")
        end[end.count - 18] = 2
        end[end.count - 16] = 2
        try folder.write(Array(end[40...]), to: "scan.zip")
        for part in ["scan.z01", "scan.z02"] { try folder.write(Array(end[..<20]), to: part) }
        let problem = problem { () throws(Problem) in _ = try ZipArchive(path: path) }
        #expect(problem?.summary == "the archive is split into 3 parts" && problem?.notes == [])
        let way = "join them with  zip -s 0 \(path) --out \(folder.path)/scan-whole.zip  and remove the parts"
        #expect(problem?.fix == way)
        try FileManager.default.removeItem(atPath: "\(folder.path)/scan.z02")
        let incomplete = TestSupport.problem { () throws(Problem) in _ = try ZipArchive(path: path) }
        #expect(incomplete?.notes == ["not beside it: scan.z02"])
        #expect(incomplete?.fix == "copy all of them, and \(way)")
    }

    /// As 7-Zip makes them.
    @Test func theFirstPartOfASplitArchiveIsTold() throws {
        let path = try make("z.writestr('a.txt', 'text' * 9)", name: "a scan.zip")
        let joined = "'\(path)'"
        let whole = try folder.bytes("a scan.zip")
        let first = try folder.write(Array(whole[..<60]), to: "a scan.zip.001")
        try folder.write(Array(whole[60...]), to: "a scan.zip.002")
        let problem = problem { () throws(Problem) in _ = try ZipArchive(path: first) }
        #expect(problem?.summary == "this is the first part of an archive that is split")
        #expect(problem?.fix == "join the parts with  cat \(joined).[0-9]* > \(joined)  and remove them")
        try runCommand(["sh", "-c", "cat \(joined).[0-9]* > \(joined)"]).require(0)
        #expect(try folder.bytes("a scan.zip") == whole)
    }

    @Test func neverCrashesOnFlippedBits() throws {
        let path = try make("z.writestr('a.txt', 'text' * 9)\nz.writestr(item('b/c.txt', method=0), 'more')")
        let whole = try folder.bytes("scan.zip")
        for bit in 0..<whole.count * 8 {
            var bytes = whole
            bytes[bit / 8] ^= 1 << (bit % 8)
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            guard let tree = try? ZipArchive(path: path) else { continue }
            for file in ["a.txt", "b/c.txt"] {
                _ = tree.location(of: file)
                // Flips of what only describes a file, such as its time, change nothing.
                if let bytes = try? tree.bytes(of: file, limit: 1000) { #expect(bytes.count <= 36) }
            }
        }
    }

    @Test func whatIsNoArchiveIsNone() throws {
        try folder.write("PK", to: "short.zip")
        try folder.write("plain text", to: "text.zip")
        #expect(mkfifo(folder.path + "/pipe.zip", 0o644) == 0)
        for name in ["short.zip", "text.zip", "pipe.zip", "missing.zip"] {
            let path = "\(folder.path)/\(name)"
            #expect(!ZipArchive.isArchive(path))
            #expect(problem { () throws(Problem) in _ = try ZipArchive(path: path) }?.place.file == path)
        }
    }
}
