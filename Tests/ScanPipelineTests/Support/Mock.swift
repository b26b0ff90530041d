import ScanModel
import ScanPipeline

/// A stage made of closures, which decide its roles.
struct Mock: Sendable {
    typealias Gathered = [Int]

    var name: String
    var uses = Uses()
    var bindsFrames = true
    var declare: (@Sendable (inout OptionReader) -> Void)?
    /// Reads options by which it needs other things.
    var adapt: (@Sendable (inout OptionReader, inout Uses) -> Void)?
    var process: (@Sendable (inout Frame, StageContext) throws(Problem) -> Void)?
    var fold: (@Sendable (inout Frame, inout Gathered, StageContext) throws(Problem) -> Void)?
    var end: (@Sendable (Gathered, inout Capture, StageContext) throws(Problem) -> Void)?
    var finish: (@Sendable (inout Capture, StageContext) throws(Problem) -> Void)?
    var neighbours: Int?
    var drops: (@Sendable ([FrameFacts]) -> [(frame: Int, reason: String)])?
    /// In place of all the others.
    var own: (any Stage)?

    init(_ name: String, _ uses: Uses = Uses()) {
        self.name = name
        self.uses = uses
    }

    /// A stage with a frame role.
    static func frame(
        _ name: String, _ role: Uses.Role = .init(), claims: [String] = [],
        _ process: @escaping @Sendable (inout Frame, StageContext) throws(Problem) -> Void = { _, _ in }
    ) -> Mock {
        var mock = Mock(name, Uses(frame: role, claims: claims))
        mock.process = process
        return mock
    }

    /// A stage with a fold role; without a closure it gathers the frames' numbers.
    static func fold(
        _ name: String, _ role: Uses.Role = .init(), claims: [String] = [],
        _ fold: @escaping @Sendable (inout Frame, inout Gathered, StageContext) throws(Problem) -> Void = {
            frame, list, _ in
            list.append(frame.index)
        }
    ) -> Mock {
        var mock = Mock(name, Uses(fold: role, claims: claims))
        mock.fold = fold
        return mock
    }

    /// A stage with a finish role.
    static func finish(
        _ name: String, _ role: Uses.Role = .init(), claims: [String] = [],
        _ finish: @escaping @Sendable (inout Capture, StageContext) throws(Problem) -> Void = { _, _ in }
    ) -> Mock {
        var mock = Mock(name, Uses(finish: role, claims: claims))
        mock.finish = finish
        return mock
    }

    /// A stage of a type of its own.
    static func own(_ name: String, _ stage: any Stage) -> Mock {
        var mock = Mock(name, stage.uses)
        mock.own = stage
        return mock
    }

    /// A reader that returns `capture`, and says that captures may hold `mayMake`.
    static func reader(
        _ name: String = "read", _ mayMake: [Channel] = [.recordedDepth, .recordedConfidence, .color, .pose, .box],
        _ capture: @escaping @Sendable () -> Capture = { Capture(id: "") }
    ) -> Mock {
        .finish(name, .init(makes: [.frames], mayMake: mayMake)) { opened, _ in
            let id = opened.id
            opened = capture()
            opened.id = id
            opened.channels.insert(.frames)
        }
    }

    func taking(_ declare: @escaping @Sendable (inout OptionReader) -> Void) -> Mock {
        var copy = self
        copy.declare = declare
        return copy
    }

    func adapting(_ adapt: @escaping @Sendable (inout OptionReader, inout Uses) -> Void) -> Mock {
        var copy = self
        copy.adapt = adapt
        return copy
    }

    /// With an option by which its `process` does without a channel.
    func doing(without channel: Channel, by option: String, set value: String, not cause: String) -> Mock {
        var copy = adapting { options, uses in
            let chosen = options.text(option, "What to do.", default: cause)
            if chosen == value { uses.frame.needs.removeAll { $0 == channel } }
        }
        copy.uses.instead[[channel]] = [.option(option, set: value, not: cause)]
        return copy
    }

    /// A second role beside the first.
    func folding(
        _ role: Uses.Role = .init(),
        _ fold: @escaping @Sendable (inout Frame, inout Gathered, StageContext) throws(Problem) -> Void = {
            frame, list, _ in
            list.append(frame.index)
        }
    ) -> Mock {
        var copy = self
        copy.uses.fold = role
        copy.fold = fold
        return copy
    }

    func ending(_ end: @escaping @Sendable (Gathered, inout Capture, StageContext) throws(Problem) -> Void) -> Mock {
        var copy = self
        copy.end = end
        return copy
    }

    func finishing(
        _ role: Uses.Role = .init(),
        _ finish: @escaping @Sendable (inout Capture, StageContext) throws(Problem) -> Void = { _, _ in }
    ) -> Mock {
        var copy = self
        copy.uses.finish = role
        copy.finish = finish
        return copy
    }

    /// With a choice among `count` neighbours, which by default keeps only the last of them.
    func choosing(
        among count: Int,
        _ drops: @escaping @Sendable ([FrameFacts]) -> [(frame: Int, reason: String)] = { frames in
            frames.dropLast().map { ($0.index, "it is not the last") }
        }
    ) -> Mock {
        var copy = self
        copy.uses.finish.drops = true
        copy.neighbours = count
        copy.drops = drops
        return copy
    }

    var entry: StageLibrary.Entry {
        let card = StageCard(
            name: name, summary: "The stage \(name).", details: "Details of \(name).", example: "- \(name)")
        return StageLibrary.Entry(card: card) { options in
            declare?(&options)
            if let own { return own }
            var mock = self
            adapt?(&options, &mock.uses)
            if neighbours != nil { return NeighbourMock(mock: mock) }
            return switch (process != nil, fold != nil, finish != nil) {
            case (true, false, false): FrameMock(mock: mock)
            case (false, true, false): FoldMock(mock: mock)
            case (true, true, false): FrameFoldMock(mock: mock)
            case (true, false, true): FrameFinishMock(mock: mock)
            case (false, true, true): FoldFinishMock(mock: mock)
            case (true, true, true): WholeMock(mock: mock)
            default: FinishMock(mock: mock)
            }
        }
    }
}

extension StageLibrary {
    init(_ mocks: [Mock]) { self.init(mocks.map(\.entry)) }
}

extension Pipeline {
    /// The mocks in the order given, one step each, without options.
    static func of(_ mocks: [Mock]) throws -> Pipeline {
        let file = PipelineFile(
            path: "mocks.yaml", name: "mocks", entries: mocks.map { PipelineFile.Entry(stage: $0.name) })
        let kinds = mocks.reduce(into: [Mock]()) { list, mock in
            if !list.contains(where: { $0.name == mock.name }) { list.append(mock) }
        }
        return try build(file, library: StageLibrary(kinds))
    }
}

private protocol MockStage: Stage {
    var mock: Mock { get }
    init(mock: Mock)
}

extension MockStage {
    static var card: StageCard { StageCard(name: "mock", summary: "", details: "", example: "") }
    init(_ options: inout OptionReader) { self.init(mock: Mock("mock")) }
    var uses: Uses { mock.uses }
    func process(_ frame: inout Frame, in context: StageContext) throws(Problem) { try mock.process?(&frame, context) }

    func begin(_ context: StageContext) -> Mock.Gathered { [] }
    func fold(_ frame: inout Frame, into fold: inout Mock.Gathered, in context: StageContext) throws(Problem) {
        try mock.fold?(&frame, &fold, context)
    }
    func end(_ fold: consuming Mock.Gathered, _ capture: inout Capture, in context: StageContext) throws(Problem) {
        try mock.end?(fold, &capture, context)
    }

    func finish(_ capture: inout Capture, in context: StageContext) throws(Problem) {
        try mock.finish?(&capture, context)
    }
}

private struct FrameMock: MockStage, FrameStage { let mock: Mock }
private struct FoldMock: MockStage, FoldStage {
    let mock: Mock
    var bindsFrames: Bool { mock.bindsFrames }
}
private struct FinishMock: MockStage, CaptureStage { let mock: Mock }
private struct FrameFoldMock: MockStage, FrameStage, FoldStage {
    let mock: Mock
    var bindsFrames: Bool { mock.bindsFrames }
}
private struct FrameFinishMock: MockStage, FrameStage, CaptureStage { let mock: Mock }
private struct FoldFinishMock: MockStage, FoldStage, CaptureStage {
    let mock: Mock
    var bindsFrames: Bool { mock.bindsFrames }
}
private struct NeighbourMock: MockStage, FrameStage, NeighbourStage, CaptureStage {
    let mock: Mock
    func mostNeighbours(among frames: [FrameFacts]) -> Int? { mock.neighbours }
    func drops(among frames: [FrameFacts]) -> [(frame: Int, reason: String)] { mock.drops?(frames) ?? [] }
}
private struct WholeMock: MockStage, FrameStage, FoldStage, CaptureStage {
    let mock: Mock
    var bindsFrames: Bool { mock.bindsFrames }
}
