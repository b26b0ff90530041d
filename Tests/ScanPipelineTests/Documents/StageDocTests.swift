import Foundation
import ScanModel
import ScanPipeline
import Testing

@Suite struct StageDocTests {
    enum Side: String, CaseIterable { case inside, outside }

    static let entry = Mock.frame(
        "cull-points", .init(needs: [.box], wants: [.color], makes: [.sharpness], changes: [.points], drops: true),
        claims: ["{id}.txt", "nerf/"]
    ).finishing(.init(anyOf: [[.cloud, .points]])).taking { options in
        _ = options.number("margin", "Grow the box | on every side.", default: 0.5, in: -10...10, unit: "m")
        _ = options.integer("every", "Take each n-th.", in: 1...Int.max)
        _ = options.integers("levels", "The levels.", default: [2, 4], in: 1...8)
        _ = options.flag("depth", "Depth too.", default: false)
        _ = options.choice("keep", "Which stay.", default: Side.inside)
        _ = options.text("title", "A title.", default: "a|b")
        _ = options.frames("frames", "Those.")
    }.entry

    @Test func pageWordForWord() {
        #expect(
            StageDoc.page(Self.entry) == """
                # cull-points

                The stage cull-points.

                ```yaml
                - cull-points
                ```

                Details of cull-points.

                ## Options

                | option | value | default | meaning |
                | --- | --- | --- | --- |
                | `margin` | number between -10 and 10 m | `0.5` | Grow the box \\| on every side. |
                | `every` | whole number at least 1 | – | Take each n-th. |
                | `levels` | list of whole numbers, each between 1 and 8 | `[2, 4]` | The levels. |
                | `depth` | `true` or `false` | `false` | Depth too. |
                | `keep` | `inside`, `outside` | `inside` | Which stay. |
                | `title` | text | `a\\|b` | A title. |
                | `frames` | frame numbers and ranges, or a file | – | Those. |

                ## Needs and makes, with the default options

                - needs `box`, `points`, `cloud` or `points`
                - uses, when there: `color`
                - makes `sharpness`
                - changes `points`
                - drops frames
                - writes `<id>.txt`, `nerf/`

                """)
    }

    @Test func pageOfAStageWithNothing() {
        #expect(
            StageDoc.page(Mock.frame("idle").entry).hasSuffix(
                "## Options\n\nNone.\n\n## Needs and makes\n\n- nothing\n"))
    }

    @Test func needsAndPreferencesThatDependOnTheCapture() throws {
        let entry = Mock.frame(
            "pick",
            .init(
                conditions: [.init(.depth, when: .recordedDepth)], wants: [.pose],
                prefers: [[.video, .color]])
        ).folding(.init(prefers: [[.video, .color]])).entry
        #expect(
            StageDoc.page(entry).hasSuffix(
                """
                - needs `depth` where there is `recorded-depth`
                - uses, when there: `pose`
                - uses the first that is there of `video`, `color`

                """))
        let frame = try #require(StageDoc.json(entry)["uses"]?["frame"])
        #expect(frame["needs"] == .of([String]()))
        #expect(frame["needs-where"] == .object(["recorded-depth": .string("depth")]))
        #expect(frame["prefers"] == .of(["video|color"]))
    }

    @Test func textWordForWord() {
        #expect(
            StageDoc.text(Self.entry) == """
                cull-points: The stage cull-points.

                Details of cull-points.

                Options:
                  margin: number between -10 and 10 m, default 0.5
                      Grow the box | on every side.
                  every: whole number at least 1
                      Take each n-th.
                  levels: list of whole numbers, each between 1 and 8, default [2, 4]
                      The levels.
                  depth: true or false, default false
                      Depth too.
                  keep: inside, outside, default inside
                      Which stay.
                  title: text, default a|b
                      A title.
                  frames: frame numbers and ranges, or a file
                      Those.

                Needs and makes, with the default options:
                  needs box, points, cloud or points
                  uses, when there: color
                  makes sharpness
                  changes points
                  drops frames
                  writes <id>.txt, nerf/

                Example:
                  - cull-points
                """)
    }

    @Test func index() {
        let library = StageLibrary([Mock.reader(), .decompress])
        #expect(
            StageDoc.index(library).hasSuffix(
                "| [read](read.md) | The stage read. |\n| [decompress](decompress.md) | The stage decompress. |\n"))
    }

    @Test func jsonHoldsTheSame() throws {
        let bytes = JSONWriter.text(StageDoc.json(Self.entry))
        let json = try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
        #expect(json["name"] as? String == "cull-points")
        let options = try #require(json["options"] as? [[String: Any]])
        #expect(
            options.compactMap { $0["name"] as? String } == [
                "margin", "every", "levels", "depth", "keep", "title", "frames",
            ])
        #expect(options[0]["default"] as? String == "0.5")
        #expect(options[0]["unit"] as? String == "m")
        #expect(options[1]["default"] == nil)
        let uses = try #require(json["uses"] as? [String: [String: Any]])
        #expect(uses["frame"]?["needs"] as? [String] == ["box", "points"])
        #expect(uses["finish"]?["needs"] as? [String] == ["cloud|points"])
        #expect(uses["frame"]?["drops"] as? Bool == true)
        #expect(json["writes"] as? [String] == ["{id}.txt", "nerf/"])
    }
}
