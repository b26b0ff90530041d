import Glibc

/// A pattern of names as a shell has it: `*`, `?`, `[a-z]`, `[!a-z]`, `[[:digit:]]`, and `\` before what stands for itself.
///
/// Its characters are those that people see. To fnmatch they are bytes in the C locale, and in others glibc's (2.36) goes
/// past the ends of names.
struct NamePattern {
    private enum Part {
        /// Any number of any characters.
        case run
        case any
        case character(Character)
        case set([Member], isNegated: Bool)

        func fits(_ character: Character) -> Bool {
            switch self {
            case .run, .any: true
            case .character(let own): own == character
            case .set(let members, let isNegated): members.contains { $0.holds(character) } != isNegated
            }
        }

        var isRun: Bool { if case .run = self { true } else { false } }
    }

    private enum Member {
        case range(from: Character, to: Character)
        /// A class of ASCII characters by its name, such as `digit`.
        case kind(String)

        func holds(_ character: Character) -> Bool {
            switch self {
            case .range(let first, let last): first <= character && character <= last
            case .kind(let name):
                character.asciiValue.flatMap { byte in Self.kinds[name].map { $0(CInt(byte)) != 0 } } ?? false
            }
        }

        private static let kinds: [String: @Sendable (CInt) -> CInt] = [
            "alnum": isalnum, "alpha": isalpha, "blank": isblank, "cntrl": iscntrl, "digit": isdigit, "graph": isgraph,
            "lower": islower, "print": isprint, "punct": ispunct, "space": isspace, "upper": isupper,
            "xdigit": isxdigit,
        ]

        /// The one letter or digit that it holds.
        var isOneLetterOrDigit: Bool {
            guard case .range(let first, let last) = self else { return false }
            return first == last && (first.isLetter || first.isNumber)
        }
    }

    private var parts: [Part] = []

    init(_ text: String) {
        var rest = Array(text)[...]
        while let next = rest.popFirst() {
            switch next {
            case "*": parts.append(.run)
            case "?": parts.append(.any)
            case "[":
                // One that is not closed stands for itself.
                parts.append(Self.set(&rest) ?? .character(next))
            case "\\":
                // A last one stands for itself.
                parts.append(.character(rest.popFirst() ?? next))
            default: parts.append(.character(next))
            }
        }
    }

    /// - Parameter text: what comes after `[`; of a set, what comes after it is left.
    private static func set(_ text: inout ArraySlice<Character>) -> Part? {
        var rest = text
        let isNegated = rest.first == "!" || rest.first == "^"
        if isNegated { rest.removeFirst() }
        var members: [Member] = []
        var isFirst = true
        while let next = rest.popFirst() {
            if next == "]" && !isFirst {
                text = rest
                return .set(members, isNegated: isNegated)
            }
            isFirst = false
            if next == "[", let name = kind(&rest) {
                members.append(.kind(name))
                continue
            }
            guard let first = next == "\\" ? rest.popFirst() : next else { return nil }
            var last = first
            if rest.first == "-", let end = rest.dropFirst().first, end != "]" {
                rest.removeFirst(2)
                guard let other = end == "\\" ? rest.popFirst() : end else { return nil }
                last = other
            }
            members.append(.range(from: first, to: last))
        }
        return nil
    }

    /// - Parameter text: what comes after `[` in a set; of a class, what comes after it is left.
    private static func kind(_ text: inout ArraySlice<Character>) -> String? {
        guard text.first == ":", let end = text.dropFirst().firstIndex(of: ":"), text[end...].dropFirst().first == "]"
        else { return nil }
        let name = String(text[text.startIndex..<end].dropFirst())
        text = text[end...].dropFirst(2)
        return name
    }

    /// Whether it was hardly meant as a pattern: `scan[1]`, as browsers call a second download, would fit `scan1` alone.
    var isName: Bool {
        var hasSet = false
        for part in parts {
            switch part {
            case .character: break
            case .set(let members, isNegated: false) where members.count == 1 && members[0].isOneLetterOrDigit:
                hasSet = true
            default: return false
            }
        }
        return hasSet
    }

    func fits(_ name: String) -> Bool {
        let name = Array(name)
        var (part, place) = (0, 0)
        // The part behind the last `*`, and where in the name it was tried last.
        var retry: (part: Int, place: Int)?
        while place < name.count {
            if part < parts.count, parts[part].isRun {
                part += 1
                retry = (part, place)
            } else if part < parts.count, parts[part].fits(name[place]) {
                part += 1
                place += 1
            } else if let last = retry {
                (part, place) = (last.part, last.place + 1)
                retry = (part, place)
            } else {
                return false
            }
        }
        return parts[part...].allSatisfy(\.isRun)
    }
}
