import ScanModel

/// What a stage needs and makes, role by role.
public struct Uses: Sendable {
    public struct Role: Sendable {
        /// Channels that must be there. One that is also in a group of any role is not used where another channel of
        /// that group is chosen for the capture.
        public var needs: [Channel]
        /// Groups of which at least one channel must be there; the first that is there is used, in all roles.
        public var anyOf: [[Channel]]
        /// Channels that must be there when another one is there: `depth` where there is `recorded-depth`.
        public var conditions: [Condition]
        /// Channels that are used when they are there.
        public var wants: [Channel]
        /// Groups of which the first channel that is there is used, in all roles; none has to be there.
        public var prefers: [[Channel]]
        /// Channels that are there afterwards.
        public var makes: [Channel]
        /// Channels that may be there afterwards: what a reader gives if the capture has it.
        public var mayMake: [Channel]
        /// Channels that are there afterwards when another one is there: `confidence` from `recorded-confidence`.
        public var derives: [(made: Channel, from: Channel)]
        /// Channels whose values it changes in place. They are needed too, unless they are also among `wants`.
        public var changes: [Channel]
        /// Whether it may drop frames by its own choice; any stage may drop bad ones.
        public var drops: Bool
        /// Channels that are no longer there afterwards.
        public var removes: [Channel]

        public init(
            needs: [Channel] = [], anyOf: [[Channel]] = [], conditions: [Condition] = [], wants: [Channel] = [],
            prefers: [[Channel]] = [], makes: [Channel] = [], mayMake: [Channel] = [],
            derives: [(made: Channel, from: Channel)] = [], changes: [Channel] = [], drops: Bool = false,
            removes: [Channel] = []
        ) {
            self.needs = needs
            self.anyOf = anyOf
            self.conditions = conditions
            self.wants = wants
            self.prefers = prefers
            self.makes = makes
            self.mayMake = mayMake
            self.derives = derives
            self.changes = changes
            self.drops = drops
            self.removes = removes
        }

        /// All channels whose values it looks at when they are there.
        public var reads: Set<Channel> { direct.union(derives.map(\.from)) }

        /// What it makes something of: a channel that it only changes, as when turning pictures, is left for others to
        /// use.
        var takesUp: Set<Channel> { reads.subtracting(changes) }

        /// What it looks at when only `wanted` is asked of it: a channel from which nothing wanted is derived is not
        /// read. Facts are always wanted, since they stay with the frame.
        func reads(making wanted: Set<Channel>) -> Set<Channel> {
            let used = derives.filter { wanted.contains($0.made) || !Channel.payload.contains($0.made) }
            return direct.union(used.map(\.from))
        }

        private var direct: Set<Channel> {
            Set(needs).union(wants).union(anyOf.joined()).union(prefers.joined()).union(changes)
                .union(conditions.map(\.needed))
        }

        /// Groups of channels: of each, at least one must be there.
        var demands: [[Channel]] {
            let named = Set(needs).union(wants).union(anyOf.joined()).union(prefers.joined())
            return (needs + changes.filter { !named.contains($0) }).map { [$0] } + anyOf
        }

        /// The same, with the conditions that hold given what is there.
        func demands(given available: Set<Channel>) -> [[Channel]] {
            demands + conditions.filter { available.contains($0.when) }.map { [$0.needed] }
        }

        /// What is made, given what is there.
        func made(from available: Set<Channel>) -> Set<Channel> {
            Set(makes).union(derives.filter { available.contains($0.from) }.map(\.made))
        }

        /// Turns the channels that are there before it into those that are there after it.
        func update(_ available: inout Set<Channel>) {
            available.formUnion(made(from: available))
            available.subtract(removes)
        }

        /// Whatever it may make or change.
        var touches: Set<Channel> { possible.union(changes) }

        /// Whatever it may make.
        var possible: Set<Channel> { Set(makes).union(mayMake).union(derives.map(\.made)) }

        /// Takes channels out of everything that is read.
        mutating func forget(_ channels: Set<Channel>) {
            needs.removeAll(where: channels.contains)
            wants.removeAll(where: channels.contains)
            changes.removeAll(where: channels.contains)
            anyOf = anyOf.map { $0.filter { !channels.contains($0) } }
            prefers = prefers.map { $0.filter { !channels.contains($0) } }
            derives.removeAll { channels.contains($0.from) }
            conditions.removeAll { channels.contains($0.needed) }
        }
    }

    /// A need that only some captures give rise to.
    public struct Condition: Sendable, Hashable {
        public var needed: Channel
        public var when: Channel

        public init(_ needed: Channel, when: Channel) {
            self.needed = needed
            self.when = when
        }
    }

    /// A way to do without a need, for messages.
    public enum Instead: Sendable, Hashable {
        /// Another value of the option that makes the need: `masks: none` instead of `masks: silhouette`.
        case option(String, set: String, not: String)
        /// Words of a fix, where no option helps.
        case words(String)
    }

    /// What becomes of a capture for which a file that an option names is not there.
    public enum WithoutFile: Sendable, Hashable {
        /// It fails; with the setting of the stage by which it would pass, `if-missing=pass`, if there is one.
        case fails(unless: String? = nil)
        /// The stage does without: ``StageContext/lacks(_:)``.
        case passes
    }

    /// `process`.
    public var frame: Role
    /// `begin`, `fold` and `end`: what `fold` reads of a frame, what `end` reads and makes of the capture. What `begin`
    /// and `fold` need of the capture is listed under `frame`.
    public var fold: Role
    /// `finish`.
    public var finish: Role
    /// Output paths that only this stage writes. `{id}` stands for the capture's id; a folder ends in `/`.
    public var claims: [String]
    /// Files that its options name, relative to the capture or to the pipeline; `{id}` stands for the capture's id. They
    /// are read before the first frame; ``StageContext/file(_:)`` gives their bytes.
    public var files: [String]
    /// What becomes of a capture that lacks one of the files.
    public var withoutFile: WithoutFile
    /// Channels that `process` looks at only where a stage above has loaded them in the same pass; nothing is opened or
    /// decoded for that.
    public var reuses: Set<Channel>
    /// Without this channel, it does nothing and looks at nothing.
    public var idleWithout: Channel?
    /// What it leaves in the receipt is a result in itself, so that no stage below has to use what it makes.
    public var isMeasurement: Bool
    /// Ways to do without a need, by its group of channels in whatever order; for a reader, ways to get what a capture
    /// lacks.
    public var instead: [Set<Channel>: [Instead]]

    public init(
        frame: Role = Role(), fold: Role = Role(), finish: Role = Role(), claims: [String] = [], files: [String] = [],
        withoutFile: WithoutFile = .fails(), reuses: Set<Channel> = [], idleWithout: Channel? = nil,
        isMeasurement: Bool = false, instead: [Set<Channel>: [Instead]] = [:]
    ) {
        self.frame = frame
        self.fold = fold
        self.finish = finish
        self.claims = claims
        self.files = files
        self.withoutFile = withoutFile
        self.reuses = reuses
        self.idleWithout = idleWithout
        self.isMeasurement = isMeasurement
        self.instead = instead
    }

    public var roles: [Role] { [frame, fold, finish] }

    /// Takes channels out of everything that is read.
    mutating func forget(_ channels: Set<Channel>) {
        frame.forget(channels)
        fold.forget(channels)
        finish.forget(channels)
    }

    func isIdle(given available: Set<Channel>) -> Bool {
        idleWithout.map { !available.contains($0) } ?? false
    }

    /// Channels that any role may make.
    var possible: Set<Channel> { roles.reduce(into: []) { $0.formUnion($1.possible) } }

    /// Channels that any role may make or change.
    var touches: Set<Channel> { roles.reduce(into: []) { $0.formUnion($1.touches) } }

    /// Whether any role may drop frames by its own choice.
    var drops: Bool { roles.contains(where: \.drops) }

    /// Channels that are there afterwards whatever was there before.
    var makesAnew: Set<Channel> {
        let made = roles.reduce(into: Set<Channel>()) { $0.formUnion($1.makes + $1.derives.map(\.made)) }
        return made.subtracting(reads)
    }

    /// Channels of which nothing is left afterwards that was there before: they are made anew, or removed.
    var replaces: Set<Channel> { makesAnew.union(roles.flatMap(\.removes)) }

    /// Channels read by any role.
    public var reads: Set<Channel> { roles.reduce(into: []) { $0.formUnion($1.reads) } }
}

extension [Uses.Instead] {
    var words: [String] { compactMap { if case .words(let text) = $0 { text } else { nil } } }

    /// By option: the value to set, and the one that makes the need.
    var options: [(name: String, value: String, cause: String)] {
        compactMap { if case .option(let name, let value, let cause) = $0 { (name, value, cause) } else { nil } }
    }
}
