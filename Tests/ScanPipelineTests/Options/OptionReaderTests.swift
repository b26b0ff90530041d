import ScanModel
import ScanPipeline
import Testing

@Suite struct OptionReaderTests {
    enum Side: String, CaseIterable { case inside, outside }

    private static func reader(_ value: OptionValue.Content?) -> OptionReader {
        OptionReader(given: value.map { ["x": OptionValue($0)] } ?? [:])
    }

    private static func summary(_ reader: OptionReader) -> String? { reader.mistakes.first?.summary }

    // MARK: - Numbers

    @Test(arguments: [
        ("2.5", 2.5), ("-3", -3), ("+4", 4), ("1e-3", 0.001), ("1E2", 100), (".5", 0.5), ("5.", 5), ("007", 7),
        ("-0", 0),
        ("-100", -100), ("100", 100),
    ]) func readsNumbers(_ text: String, _ value: Double) {
        var options = Self.reader(.scalar(text))
        #expect(options.number("x", "", default: 1, in: -100...100) == value)
        #expect(options.mistakes.isEmpty)
        #expect(options.resolved["x"]?.double == value)
    }

    @Test(arguments: [
        "nan", "NaN", ".nan", "inf", "-inf", "infinity", ".inf", "0x10", "0x1p3", "1_000", "1,5", "five",
        "1 2", " 1",
        "~", "١",
    ]) func refusesWhatIsNoNumber(_ text: String) {
        var options = Self.reader(.scalar(text))
        #expect(options.number("x", "", default: 1, in: -100...100) == 1)
        #expect(Self.summary(options) == "`x` takes a number, not `\(text)`")
        var optional = Self.reader(.scalar(text))
        #expect(optional.number("x", "", in: -100...100) == nil)
        #expect(optional.mistakes.count == 1)
    }

    @Test func whatIsNoNumberComesWithHowToWriteOne() {
        var options = Self.reader(.scalar("2cm"))
        _ = options.number("x", "", default: 0.02, in: 0...100, unit: "m")
        #expect(options.mistakes.first?.fix == "write the number alone; its unit is m, for example  x: 0.02")
        options = Self.reader(.scalar("2cm"))
        _ = options.number("x", "", in: 0...100, unit: "m")
        #expect(options.mistakes.first?.fix == "write the number alone; its unit is m")
        options = Self.reader(.scalar("two"))
        _ = options.integer("x", "", default: 3, in: 0...100)
        #expect(options.mistakes.first?.fix == "for example  x: 3")
        options = Self.reader(.scalar("two"))
        _ = options.integer("x", "", in: 0...100)
        #expect(options.mistakes.first.map { $0.fix == nil } == true)
    }

    @Test func numbersKeepToTheirRange() {
        var options = Self.reader(.scalar("100.5"))
        #expect(options.number("x", "", default: 1, in: -0.5...100, unit: "m") == 1)
        #expect(Self.summary(options) == "`x` is 100.5, which is not between -0.5 and 100 m")
        var open = Self.reader(.scalar("-1"))
        _ = open.number("x", "", default: 1, in: 0...Double.greatestFiniteMagnitude)
        #expect(Self.summary(open) == "`x` is -1, which is not at least 0")
        var low = Self.reader(.scalar("1"))
        _ = low.number("x", "", default: -1, in: (-Double.greatestFiniteMagnitude)...0)
        #expect(Self.summary(low) == "`x` is 1, which is not at most 0")
    }

    /// Numbers that no computer holds are numbers all the same.
    @Test(arguments: ["1e400", "-1e309", "99999999999999999999"]) func numbersBeyondAll(_ text: String) {
        var options = Self.reader(.scalar(text))
        _ = options.number("x", "", default: 1, in: 0...5, unit: "m")
        #expect(Self.summary(options) == "`x` is \(text), which is not between 0 and 5 m")
        var whole = Self.reader(.scalar("99999999999999999999"))
        #expect(whole.integer("x", "", in: 0...Int.max) == nil)
        #expect(
            Self.summary(whole) == "`x` is 99999999999999999999, which is not between 0 and 9223372036854775807")
    }

    /// Without a default, the number that was meant is the example.
    @Test func numbersWithAUnitBehindThem() {
        func fix(_ text: String, _ declare: (inout OptionReader) -> Void) -> String? {
            var options = Self.reader(.scalar(text))
            declare(&options)
            return options.mistakes.first?.fix
        }
        for text in ["5m", "5 %"] {
            #expect(fix(text) { _ = $0.integer("x", "", in: 1...10) } == "for example  x: 5")
        }
        #expect(fix("50m") { _ = $0.integer("x", "", in: 1...10) } == nil)
        #expect(fix("5%") { _ = $0.number("x", "", in: 0...1) } == "for example  x: 0.05")
        #expect(fix("5%") { _ = $0.number("x", "", default: 0.5, in: 0...1) } == "for example  x: 0.05")
    }

    /// What is written out though it is the default decides nothing.
    @Test func deviationsAreWhatIsNotAtItsDefault() {
        for (text, isDefault) in [("2", true), ("3", false)] {
            var options = Self.reader(.scalar(text))
            _ = options.number("x", "", default: 2, in: 0...9)
            _ = options.integer("y", "", default: 2, in: 0...9)
            _ = options.number("z", "", in: 0...9)
            #expect(options.resolved.keys == ["x", "y"])
            #expect(options.deviations.keys == (isDefault ? [] : ["x"]))
        }
        var without = Self.reader(.scalar("2"))
        _ = without.number("x", "", in: 0...9)
        #expect(without.deviations.keys == ["x"])
    }

    /// A filter that is given millimetres for metres drops nothing, and nothing else would tell.
    @Test func numbersThatNoScanHasAreTakenWithAWarning() {
        var options = Self.reader(.scalar("800"))
        #expect(options.number("x", "", in: 0...1e6, usual: 0...20, unit: "m/s") == 800)
        #expect(options.odd.map(\.summary) == ["`x` is 800, and in scans it is usually between 0 and 20 m/s"])
        #expect(options.odd.first?.fix == "check whether it was meant in another unit: its unit is m/s")
        #expect(options.mistakes.isEmpty)
        for text in ["0", "20"] {
            var fine = Self.reader(.scalar(text))
            _ = fine.number("x", "", default: 1, in: 0...1e6, usual: 0...20, unit: "m/s")
            #expect(fine.odd.isEmpty)
        }
        var low = Self.reader(.scalar("0.008"))
        #expect(low.number("x", "", default: 16, in: 0...1e6, usual: 0.02...1000) == 0.008)
        #expect(low.odd.first?.fix == "check whether it was meant in another unit")
    }

    /// The smallest Int64 has no absolute value: taking it would trap.
    @Test(arguments: ["-9223372036854775808", "9223372036854775808", "-9223372036854774784", "1e300"])
    func takesTheLargestNumbers(_ text: String) {
        let all = (-Double.greatestFiniteMagnitude)...Double.greatestFiniteMagnitude
        var options = Self.reader(.scalar(text))
        #expect(options.number("x", "", default: -9_223_372_036_854_775_808, in: all) == Double(text))
        #expect(options.resolved["x"]?.double == Double(text))
        #expect(options.mistakes.isEmpty)
    }

    @Test func wholeNumbersResolveWithoutAFraction() {
        var options = Self.reader(.scalar("4.0"))
        _ = options.number("x", "", default: 1, in: 0...10)
        #expect(options.resolved["x"] == .integer(4))
    }

    @Test func absentNumbers() {
        var options = Self.reader(nil)
        #expect(options.number("x", "", default: 0.25, in: 0...1) == 0.25)
        #expect(options.number("y", "", in: 0...1) == nil)
        #expect(options.resolved["x"] == .number(0.25))
        #expect(options.resolved["y"] == nil)
        #expect(options.specs.map(\.defaultText) == ["0.25", nil])
    }

    // MARK: - Whole numbers

    @Test(arguments: [("0", 0), ("-5", -5), ("+5", 5), ("010", 10)]) func readsWholeNumbers(
        _ text: String, _ value: Int
    ) {
        var options = Self.reader(.scalar(text))
        #expect(options.integer("x", "", default: 1, in: -10...10) == value)
        #expect(options.resolved["x"] == .of(value))
    }

    @Test(arguments: ["1.0", "1e1", "0x1", "1_0", "-", "true"])
    func refusesWhatIsNoWholeNumber(_ text: String) {
        var options = Self.reader(.scalar(text))
        #expect(options.integer("x", "", default: 1, in: -10...10) == 1)
        #expect(Self.summary(options) == "`x` takes a whole number, not `\(text)`")
    }

    @Test(arguments: [
        ("8.5", "x: 9"), ("8.2", "x: 8"), ("-0.4", "x: 0"), ("1e1", "x: 10"), ("12.7", "x: 10"), ("eight", "x: 3"),
        ("1e300", "x: 3"),
    ]) func theNearestWholeNumberIsProposed(_ text: String, _ example: String) {
        var options = Self.reader(.scalar(text))
        _ = options.integer("x", "", default: 3, in: -10...10)
        #expect(options.mistakes.first?.fix == "for example  \(example)")
        // The number is alone already, so the unit needs no word.
        var counted = Self.reader(.scalar("2.6"))
        _ = counted.integer("x", "", in: 1...10, unit: "frames")
        #expect(counted.mistakes.first?.fix == "for example  x: 3")
    }

    @Test func wholeNumbersKeepToTheirRange() {
        var options = Self.reader(.scalar("11"))
        #expect(options.integer("x", "", in: 1...10, unit: "frames") == nil)
        #expect(Self.summary(options) == "`x` is 11, which is not between 1 and 10 frames")
        var open = Self.reader(.scalar("0"))
        _ = open.integer("x", "", default: 1, in: 1...Int.max)
        #expect(Self.summary(open) == "`x` is 0, which is not at least 1")
        var extreme = Self.reader(.scalar("-9223372036854775808"))
        #expect(extreme.integer("x", "", in: Int.min...Int.max) == Int.min)
    }

    @Test func listsOfWholeNumbers() {
        var options = Self.reader(.list(["2", "8", "2"]))
        #expect(options.integers("x", "", default: [1], in: 1...8) == [2, 8, 2])
        #expect(options.resolved["x"] == .of([2, 8, 2]))
        var single = Self.reader(.scalar("3"))
        #expect(single.integers("x", "", default: [1], in: 1...8) == [3])
        var none = Self.reader(.list([]))
        #expect(none.integers("x", "", default: [1], in: 1...8) == [])
        var absent = Self.reader(nil)
        #expect(absent.integers("x", "", default: [1, 2], in: 1...8) == [1, 2])
        #expect(absent.specs[0].defaultText == "[1, 2]")
    }

    @Test func listsOfWholeNumbersNameTheirMistake() {
        var word = Self.reader(.list(["2", "two"]))
        #expect(word.integers("x", "", default: [1, 2], in: 1...8) == [1, 2])
        #expect(Self.summary(word) == "`x` takes whole numbers, not `two`")
        #expect(word.mistakes[0].fix == "for example  x: [1, 2]")
        var far = Self.reader(.list(["2", "9", "10"]))
        _ = far.integers("x", "", default: [1], in: 1...8)
        #expect(Self.summary(far) == "`x` holds 9, which is not between 1 and 8")
        var mapping = Self.reader(.other("mapping"))
        _ = mapping.integers("x", "", default: [1], in: 1...8)
        #expect(Self.summary(mapping) == "`x` takes whole numbers, not a mapping")
        var nothing = Self.reader(.scalar(""))
        _ = nothing.integers("x", "", default: [1], in: 1...8)
        #expect(Self.summary(nothing) == "`x` has no value")
    }

    // MARK: - Words

    @Test(arguments: [("true", true), ("Yes", true), ("on", true), ("FALSE", false), ("no", false), ("off", false)])
    func readsFlags(_ text: String, _ value: Bool) {
        var options = Self.reader(.scalar(text))
        #expect(options.flag("x", "", default: !value) == value)
        #expect(options.resolved["x"] == .bool(value))
    }

    @Test func refusesOtherFlags() {
        var options = Self.reader(.scalar("1"))
        #expect(options.flag("x", "", default: true) == true)
        #expect(Self.summary(options) == "`x` takes true or false, not `1`")
        #expect(options.mistakes.first?.fix == "write  x: true")
        var word = Self.reader(.scalar("maybe"))
        _ = word.flag("x", "", default: true)
        #expect(word.mistakes.first?.fix == "write  x: true  or  x: false")
        #expect(options.resolved["x"] == .bool(true))
    }

    @Test func readsChoices() {
        var options = Self.reader(.scalar("outside"))
        #expect(options.choice("x", "", default: Side.inside) == .outside)
        #expect(options.resolved["x"] == .string("outside"))
        var slip = Self.reader(.scalar("outsid"))
        #expect(slip.choice("x", "", default: Side.inside) == .inside)
        #expect(Self.summary(slip) == "`x` is `outsid`, which is not one of inside, outside")
        #expect(slip.mistakes[0].fix == "did you mean `outside`?")
        var upper = Self.reader(.scalar("Inside"))
        _ = upper.choice("x", "", default: Side.outside)
        #expect(upper.mistakes[0].fix == "did you mean `inside`?")
        var far = Self.reader(.scalar("elsewhere"))
        _ = far.choice("x", "", default: Side.inside)
        #expect(far.mistakes[0].fix == nil)
    }

    @Test func readsTexts() {
        var options = Self.reader(.scalar("a, b: c"))
        #expect(options.text("x", "", default: "z") == "a, b: c")
        #expect(options.text("y", "") == nil)
        #expect(options.resolved.keys == ["x"])
        var absent = Self.reader(nil)
        #expect(absent.text("x", "", default: "z") == "z")
        #expect(absent.resolved["x"] == .string("z"))
    }

    // MARK: - What no option takes

    @Test func valuesOfAnotherKind() {
        let kinds: [(String, (inout OptionReader) -> Void)] = [
            ("a number", { _ = $0.number("x", "", default: 1, in: 0...1) }),
            ("a whole number", { _ = $0.integer("x", "", default: 1, in: 0...1) }),
            ("true or false", { _ = $0.flag("x", "", default: true) }),
            ("a word", { _ = $0.choice("x", "", default: Side.inside) }),
            ("a text", { _ = $0.text("x", "", default: "a") }),
        ]
        for (kind, read) in kinds {
            var list = Self.reader(.list(["1"]))
            read(&list)
            #expect(Self.summary(list) == "`x` takes \(kind), not a list")
            var mapping = Self.reader(.other("mapping"))
            read(&mapping)
            #expect(Self.summary(mapping) == "`x` takes \(kind), not a mapping")
            var nothing = Self.reader(.scalar(""))
            read(&nothing)
            #expect(Self.summary(nothing) == "`x` has no value")
            #expect(nothing.mistakes[0].fix == "give \(kind), or take the line out")
            #expect(nothing.mistakes.count == 1)
        }
    }

    // MARK: - Frames

    @Test func readsFrames() {
        var absent = Self.reader(nil)
        #expect(absent.frames("x", "") == nil)
        var list = Self.reader(.list(["3", " 17 - 20 ", "004"]))
        #expect(list.frames("x", "") == .ranges([3...3, 17...20, 4...4]))
        #expect(list.resolved["x"] == .of(["3", "17-20", "4"]))
        var single = Self.reader(.scalar("5"))
        #expect(single.frames("x", "") == .ranges([5...5]))
        var file = Self.reader(.scalar("lists/good-frames.txt"))
        #expect(file.frames("x", "") == .file("lists/good-frames.txt"))
        #expect(file.resolved["x"] == .string("lists/good-frames.txt"))
    }

    /// What was meant as numbers is not taken for the name of a file.
    @Test(arguments: ["7-5", "-3", "3, 5", "3-", "99999999999999999999"]) func refusesFrames(_ text: String) {
        var scalar = Self.reader(.scalar(text))
        #expect(scalar.frames("x", "") == nil)
        #expect(Self.summary(scalar) == "`x` takes frame numbers and ranges, not `\(text)`")
        #expect(scalar.mistakes[0].fix == "for example  x: [3, 17-20]")
        var list = Self.reader(.list(["1", text, "also wrong"]))
        #expect(list.frames("x", "") == nil)
        #expect(Self.summary(list) == "`x` takes frame numbers and ranges, not `\(text)`")
    }

    @Test func refusesFramesOfAnotherKind() {
        var mapping = Self.reader(.other("mapping"))
        #expect(mapping.frames("x", "") == nil)
        #expect(Self.summary(mapping) == "`x` takes frame numbers and ranges, or a file, not a mapping")
        var nothing = Self.reader(.scalar(""))
        #expect(nothing.frames("x", "") == nil)
        #expect(Self.summary(nothing) == "`x` has no value")
    }

    // MARK: - Several options

    @Test func exactlyOne() {
        func check(_ given: [String]) -> OptionReader {
            var options = OptionReader(
                given: Dictionary(uniqueKeysWithValues: given.map { ($0, OptionValue(.scalar("1"))) }))
            options.exactlyOne(of: ["a", "b", "c"])
            for name in ["a", "b", "c"] { _ = options.integer(name, "", in: 0...9) }
            return options
        }
        #expect(check(["b"]).mistakes.isEmpty)
        #expect(check([]).mistakes.map(\.summary) == ["one of `a`, `b`, `c` is needed"])
        #expect(check([]).mistakes[0].option == nil)
        #expect(check(["a", "c"]).mistakes.map(\.summary) == ["`a` and `c` exclude each other"])
        #expect(check(["a", "c"]).mistakes[0].option == "c")
        #expect(check(["a", "b", "c"]).mistakes.map(\.summary) == ["`a` and `b` and `c` exclude each other"])
    }

    @Test func collectsAllMistakes() {
        var options = OptionReader(given: [
            "a": OptionValue(.scalar("x")), "b": OptionValue(.scalar("11")), "zeta": OptionValue(.scalar("1")),
            "eta": OptionValue(.scalar("1")),
        ])
        _ = options.number("a", "", default: 1, in: 0...1)
        _ = options.integer("b", "", default: 1, in: 0...10)
        options.fail("a", "the stage's own rule")
        #expect(options.mistakes.map(\.option) == ["a", "b", "a"])
        #expect(options.undeclared == ["eta", "zeta"])
        #expect(options.resolved == ["a": .integer(1), "b": .integer(1)])
    }

    @Test func whatStagesAboveHaveChosen() {
        let options = OptionReader(above: [
            ("a", ["x": .string("first")]), ("a", ["x": .string("nearest"), "n": .integer(1)]), ("b", [:]),
        ])
        #expect(options.value(of: "x", above: "a") == .string("nearest"))
        #expect(options.value(of: "n", above: "a") == .integer(1))
        #expect(options.value(of: "x", above: "b") == nil && options.value(of: "x", above: "c") == nil)
        #expect(options.isBelow("a") && options.isBelow("b") && !options.isBelow("c"))
        // The nearer of two counts.
        #expect(options.isBelow("b", notUndoneBy: "a") && !options.isBelow("a", notUndoneBy: "b"))
        #expect(options.isBelow("a", notUndoneBy: "c") && !options.isBelow("c", notUndoneBy: "a"))
    }

    @Test func optionsWithoutEffect() {
        var options = OptionReader(given: ["a": OptionValue(.scalar("1")), "b": OptionValue(.scalar("1"))])
        options.warn("a", unless: true, "with `b`")
        options.warn("b", unless: false, "with `c`")
        options.warn("c", unless: false, "with `d`")
        #expect(options.odd.map(\.summary) == ["`b` has an effect only with `c`"])
        #expect(options.mistakes.isEmpty)
    }

    @Test func declaresWhatItReads() {
        var options = OptionReader()
        _ = options.number("far", "The farthest.", default: 4.5, in: 0...10, unit: "m")
        _ = options.integers("levels", "The levels.", default: [2, 4], in: 1...8)
        _ = options.choice("keep", "Which.", default: Side.outside)
        _ = options.frames("drop", "Those.")
        #expect(options.specs.map(\.name) == ["far", "levels", "keep", "drop"])
        #expect(
            options.specs.map(\.kind) == [.number(0...10), .integers(1...8), .choice(["inside", "outside"]), .frames])
        #expect(options.specs.map(\.defaultText) == ["4.5", "[2, 4]", "outside", nil])
        #expect(options.specs[0].unit == "m")
        #expect(options.specs[0].help == "The farthest.")
    }
}
