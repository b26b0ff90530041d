import ScanModel
import ScanPipeline
import TestSupport
import Testing

@Suite struct OptionOverrideTests {
    @Test(arguments: [
        ("a.b=c", "a", "b", "c"), ("mask-range[2].far=4", "mask-range[2]", "far", "4"), ("a.b.c=d", "a.b", "c", "d"),
        ("a.b=", "a", "b", ""), ("a.b=c=d.e", "a", "b", "c=d.e"),
    ]) func parses(_ text: String, _ stage: String, _ option: String, _ value: String) throws {
        let parsed = try OptionOverride(parsing: text)
        #expect([parsed.stage, parsed.option, parsed.value] == [stage, option, value])
    }

    @Test(arguments: [
        ("", ""), ("a", ": the `=` is missing"), ("a.b", ": the `=` is missing"), ("a.b 3", ": the `=` is missing"),
        ("a=b", ""), (".a=b", ""), ("a.=b", ""), ("=", ""), (".=", ""), ("a=b.c", ""),
    ]) func refuses(_ text: String, _ lack: String) throws {
        let problem = try #require(problem { _ = try OptionOverride(parsing: text) })
        #expect(problem.summary == "`--set \(text)` is not of the form stage.option=value\(lack)")
        #expect(problem.fix == "for example  --set mask-range.far=4")
    }

    /// With the stages of the pipeline at hand, the setting is written as it was meant.
    @Test(arguments: [
        ("window=8", "write  --set filter-blur.window=8"),
        ("far=3", "write  --set 'mask-range[1].far=3'  or  --set 'mask-range[2].far=3'"),
        ("mask-range[2].far 3", "write  --set 'mask-range[2].far=3'"),
        ("filter-blur.gray", "for example  --set filter-blur.gray=bt601"),
        ("filter-blur.window", "for example  --set filter-blur.window=VALUE"),
        ("windo=8", "did you mean  --set filter-blur.window=8?"),
        ("filter-blur=8", "name one of the options of `filter-blur`: window, at-least, gray"),
        ("mask-range[2]:far=3", "write  --set 'mask-range[2].far=3'"),
        ("mask-range=4", "name one of the options of `mask-range[1]`: near, far"),
        ("filter-blur={window: 8}", "write  --set filter-blur.window=8"),
        ("filter-blur.{window: 8}", "write  --set filter-blur.window=8"),
        ("filter-blur.{window=8}", "write  --set filter-blur.window=8"),
        ("filter-blur=none", "name one of the options of `filter-blur`: window, at-least, gray"),
        ("something=8", "for example  --set read.bad-frame-limit=0.05"),
        ("", "for example  --set read.bad-frame-limit=0.05"),
    ]) func isWrittenForThePipeline(_ text: String, _ fix: String) throws {
        let messages = try PipelineTests.messages(PipelineTests.good, [text])
        #expect(messages.count == 1 && messages.first?.hasSuffix("\n  fix: \(fix)") == true, "\(messages)")
    }

    @Test func aPipelineWithoutOptionsHasNoExample() throws {
        let messages = try PipelineTests.messages("stages: [decompress]", ["something=3"])
        let said = messages.contains { $0.hasSuffix("  fix: for example  --set mask-range.far=4") }
        #expect(said, "\(messages)")
    }

    @Test(arguments: [
        ("far=3", "`far` is an option of `mask-range`, which this pipeline does not have"),
        ("decompress=3", "`decompress` has no options"),
    ]) func optionsThatThePipelineDoesNotHave(_ text: String, _ fix: String) throws {
        let messages = try PipelineTests.messages("stages: [read, decompress]", [text])
        #expect(messages.count == 1 && messages[0].hasSuffix("\n  fix: \(fix)"), "\(messages)")
    }
}
