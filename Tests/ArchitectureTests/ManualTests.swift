import Foundation
import TestSupport
import Testing

/// The manual as HTML: whole, and with no link that leads nowhere.
@Suite struct ManualTests {
    private static let articles = SharedData.checkout.appendingPathComponent("Sources/ScanStages/ScanStages.docc").path
    private static let scripts = SharedData.checkout.appendingPathComponent("packaging/manual").path

    private static let canRender: Bool = {
        let there = (try? runCommand(["cmark-gfm", "--version"]).status) == 0
        if !there { print("SKIPPED: the manual's pages, because there is no cmark-gfm") }
        return there
    }()

    private static func render(_ articles: String, to out: String) throws -> CommandResult {
        try runCommand(["python3", "\(scripts)/manual.py", articles, out])
    }

    /// Reads the pages with Python's own parser, and says what is wrong with them.
    private static let checker = #"""
        import html.parser, os, sys, urllib.parse
        class Page(html.parser.HTMLParser):
            VOID = {'meta', 'link', 'img', 'br', 'hr', 'input'}
            def __init__(self, path):
                super().__init__()
                self.path, self.ids, self.links, self.open, self.faults, self.text = path, set(), [], [], [], ''
                self.feed(open(path, encoding='utf-8').read()); self.close()
                self.faults += [f'<{tag}> is not closed' for tag in self.open]
            def handle_starttag(self, tag, attributes):
                if tag not in self.VOID: self.open.append(tag)
                for name, value in attributes:
                    if name == 'id':
                        if value in self.ids: self.faults.append(f'two #{value}')
                        self.ids.add(value)
                    if name in ('href', 'src'): self.links.append((tag, value))
                    if name.startswith('on') or name == 'style': self.faults.append(f'{name} on <{tag}>')
                if tag in ('script', 'iframe', 'object', 'base', 'style'): self.faults.append(f'a <{tag}>')
                if tag == 'img' and not dict(attributes).get('alt'): self.faults.append('a picture without words')
            def handle_startendtag(self, tag, attributes): self.handle_starttag(tag, attributes)
            def handle_endtag(self, tag):
                if not self.open or self.open.pop() != tag: self.faults.append(f'</{tag}> closes another')
            def handle_data(self, data): self.text += data
        root = os.path.realpath(sys.argv[1])
        paths = [os.path.join(f, n) for f, _, names in os.walk(root) for n in names if n.endswith('.html')]
        pages = {path: Page(path) for path in paths}
        links, reached = 0, set()
        for path, page in pages.items():
            for tag, link in page.links:
                parts = urllib.parse.urlsplit(link)
                if parts.scheme or parts.netloc:
                    if tag != 'a': page.faults.append(f'<{tag}> loads {link}')
                    continue
                links += 1
                target = os.path.normpath(os.path.join(os.path.dirname(path), parts.path)) if parts.path else path
                if parts.path.startswith('/') or not target.startswith(root + os.sep): page.faults.append(f'{link} leads out')
                elif not os.path.isfile(target): page.faults.append(f'{link} is dead')
                elif parts.fragment and parts.fragment not in pages[target].ids: page.faults.append(f'{link} has no such anchor')
                if target != path and tag == 'a': reached.add(target)
            if '](' in page.text or '<!--' in page.text: page.faults.append('Markdown is left over')
        for path in pages:
            if path not in reached: pages[path].faults.append('nothing leads here')
        for path, page in sorted(pages.items()):
            for fault in page.faults: print(os.path.relpath(path, root) + ': ' + fault)
        print(f'{len(pages)} pages, {links} links')
        """#

    private static func faults(in out: String) throws -> (faults: [String], pages: Int) {
        let result = try runPython(checker, [out])
        #expect(result.status == 0, "\(result.errors)")
        var lines = result.output.split(separator: "\n").map(String.init)
        let count = Int(lines.popLast()?.prefix { $0.isNumber } ?? "") ?? 0
        return (lines, count)
    }

    @Test(.enabled(if: canRender)) func everyPageIsThereAndEveryLinkLeadsSomewhere() throws {
        let folder = try TemporaryFolder()
        let out = "\(folder.path)/manual"
        let result = try Self.render(Self.articles, to: out)
        #expect(result.status == 0, "\(result.errors)")
        let found = try Self.faults(in: out)
        #expect(found.faults == [])
        let sources = try FileManager.default.subpathsOfDirectory(atPath: Self.articles).filter { $0.hasSuffix(".md") }
        #expect(found.pages == sources.count + 1, "and the index")
        for source in sources where source != "ScanStages.md" {
            let page = "\(out)/\(source.dropLast(3)).html"
            #expect(FileManager.default.fileExists(atPath: page), "\(source)")
        }
        // Written again, nothing is left of before.
        try folder.write("old", to: "manual/old.html")
        #expect(try Self.render(Self.articles, to: out).status == 0)
        #expect(!FileManager.default.fileExists(atPath: "\(out)/old.html"))
        // The checker does find fault.
        try folder.write("<p id=a><a href='b.html'>b</a><a href='#c'>c</a></p>", to: "manual/old.html")
        #expect(
            try Self.faults(in: out).faults == [
                "old.html: b.html is dead", "old.html: #c has no such anchor", "old.html: nothing leads here",
            ])
    }

    /// One article, linked from the front page.
    private static func one(_ text: String) throws -> (folder: TemporaryFolder, result: CommandResult) {
        let folder = try TemporaryFolder()
        try folder.write("# Front\n\n## All\n\n- [One](One.md)\n- [Two](Two.md)\n", to: "in/ScanStages.md")
        try folder.write(text, to: "in/One.md")
        try folder.write("# Second page\n\n## A part\n\nText.\n", to: "in/Two.md")
        return (folder, try render("\(folder.path)/in", to: "\(folder.path)/out"))
    }

    @Test(
        .enabled(if: canRender),
        arguments: [
            ("# One\n\n[a](Missing.md)\n", "One.md: the link to Missing.md leads nowhere"),
            ("# One\n\n[a](../secret.md)\n", "One.md: the link to ../secret.md leads nowhere"),
            ("# One\n\n[a](Two.md#other)\n", "One.md: #other is no heading of Two.html"),
            ("# One\n\n![a](picture.png)\n", "One.md: there is no picture picture.png"),
            ("# One\n\nWrite <id>.zip\n", "One.md: raw HTML would be lost"),
            ("# One\n\n@Image(source: a)\n", "One.md: the manual does not know the directive @Image"),
            ("# One\n\n<doc:Nowhere>\n", "One.md: there is no page for <doc:Nowhere>"),
            ("One\n", "One.md: has no first"),
        ])
    func whatWouldBeLostIsNamed(_ text: String, _ problem: String) throws {
        let (folder, result) = try Self.one(text)
        #expect(result.status == 1)
        #expect(result.errors.hasPrefix("error: \(problem)"), "\(result.errors)")
        #expect(!FileManager.default.fileExists(atPath: "\(folder.path)/out"))
    }

    @Test(.enabled(if: canRender)) func whatDocCKnowsIsKept() throws {
        let (folder, result) = try Self.one(
            "# One\n\n``CaptureTree``, <doc:Two>, [a part](Two.md#a-part), [here](#one)\n\n```\n@Test <b>\n```\n")
        #expect(result.status == 0, "\(result.errors)")
        let page = String(decoding: try folder.bytes("out/One.html"), as: UTF8.self)
        for part in [
            "<code>CaptureTree</code>", "<a href=\"Two.html\">Second page</a>",
            "<a href=\"Two.html#a-part\">a part</a>",
            "<a href=\"#one\">here</a>", "@Test &lt;b&gt;",
        ] {
            #expect(page.contains(part), "\(part)")
        }
        #expect(try Self.faults(in: "\(folder.path)/out").faults == [])
    }

    @Test(.enabled(if: canRender)) func anArticleThatIsLinkedFromNowhereIsNamed() throws {
        let (folder, _) = try Self.one("# One\n")
        try folder.write("# Three\n", to: "in/Three.md")
        let result = try Self.render("\(folder.path)/in", to: "\(folder.path)/out")
        #expect(result.status == 1)
        #expect(result.errors.contains("Three.md: is linked from no list of the front page"))
    }

    @Test(.enabled(if: canRender)) func aFolderWithOtherThingsIsLeftAlone() throws {
        let folder = try TemporaryFolder()
        try folder.write("mine", to: "out/thesis.txt")
        #expect(try Self.render(Self.articles, to: "\(folder.path)/out").status == 1)
        #expect(try folder.bytes("out/thesis.txt") == Array("mine".utf8))
    }

    /// The first night's commands say what the article says that they say.
    @Test(.disabled(if: Sanitizer.isOn, "a sanitizer takes time, and other tests run the same commands"))
    func theFirstNightIsTrue() throws {
        let arguments = [Scanmill.path, SharedData.checkout.path]
        let result = try runCommand(
            ["python3", "\(Self.scripts)/transcripts.py", "--check"] + arguments + ["\(Self.articles)/FirstNight.md"])
        #expect(result.status == 0, "run `make docs` and read what has changed:\n\(result.output)\(result.errors)")

        let folder = try TemporaryFolder()
        let path = try folder.write(
            "```console\n$ echo b; echo a\na\nb\n$ false\n$ echo $?\n0\n```\n```sh\n$ no command\n```\n",
            to: "article.md")
        let wrong = try runCommand(["python3", "\(Self.scripts)/transcripts.py", "--check"] + arguments + [path])
        #expect(wrong.status == 1)
        #expect(wrong.output.contains("-0\n+1\n"), "\(wrong.output)")
        #expect(try runCommand(["python3", "\(Self.scripts)/transcripts.py"] + arguments + [path]).status == 0)
        let mended = String(decoding: try folder.bytes("article.md"), as: UTF8.self)
        #expect(mended.hasPrefix("```console\n$ echo b; echo a\na\nb\n$ false\n$ echo $?\n1\n```\n"))
    }
}
