import ScanFormats
import ScanModel
import ScanPipeline
import Synchronization

/// Small pictures of a capture, six at most: its first and last frame, two between them, the sharpest and the blurriest.
///
/// They are taken from the capture itself and kept below `.scanmill/thumbnails/` with the key of its result: a later
/// report on the same result decodes nothing.
struct Thumbnails: Sendable {
    enum Role: String, Sendable, CaseIterable { case first, between, last, sharpest, blurriest }

    struct Cell: Sendable, Hashable {
        var frame: Int
        var roles: [Role]
    }

    /// One file with the pictures side by side, each ``size``, in the order of their frames.
    struct Strip: Sendable {
        var cells: [Cell]
        /// The file beside the page; set when it is put there.
        var file = ""

        /// The picture that stands for the capture.
        var cover: Int { cells.firstIndex { $0.roles.contains(.sharpest) } ?? 0 }
    }

    /// What there is to show of a capture.
    enum Shown: Sendable {
        case strip(Strip)
        case nothing(why: String)

        static let unexplained = Shown.nothing(why: "no pictures")

        var strip: Strip? { if case .strip(let strip) = self { strip } else { nil } }
        var lack: String? { if case .nothing(let why) = self { why } else { nil } }
    }

    static let size = PixelSize(192, 144)
    /// Seconds. A picture of a video is there in one, or never.
    private static let patience = 10
    /// How many captures' pictures may fail to come because of the machine before no more are asked for: a program that
    /// hangs does so for all of them, and the report of a night must not take hours.
    private static let mostLapses = 3

    private final class Lapses: Sendable {
        let count = Atomic(0)
    }

    private let lapses = Lapses()
    /// Around pictures of another shape.
    private static let margin: UInt8 = 0x80

    private let kept: KeptPictures

    init(in state: StateFolder) { kept = KeptPictures(folder: state.thumbnails, quality: 72) }

    /// The kept strip of a capture.
    func path(of id: String) -> String { kept.path(of: id) }

    /// Makes the strip of a capture, unless it is there already.
    /// - Parameter base: the folder in which relative paths of captures start.
    func strip(for capture: CaptureFacts, base: String?) -> Shown {
        guard let input = capture.input else { return .nothing(why: "the capture's location is not known") }
        // What has not run may still be arriving.
        guard let key = capture.pictureKey else { return .unexplained }
        // A capture that changed while it was looked at has no key: pictures kept of it may show an older state.
        if !key.isEmpty, let known = load(capture.id, key: key) { return .strip(known) }
        if lapses.count.load(ordering: .relaxed) >= Self.mostLapses {
            return .nothing(why: "pictures of other captures took too long")
        }
        let path = base.map { FileSystem.path(input, from: $0) } ?? input
        let began = ContinuousClock.now
        do throws(Problem) {
            let pictures = try CapturePictures(at: path, patience: Self.patience)
            let strip = try draw(pictures, capture)
            // A strip that cannot be kept is made again next time.
            try? save(strip, of: capture.id, key: key)
            return .strip(strip.strip)
        } catch {
            let waited = ContinuousClock.now - began
            if error.fault == .environment, waited >= .seconds(Self.patience) {
                lapses.count.add(1, ordering: .relaxed)
            }
            return .nothing(why: error.summary)
        }
    }

    // MARK: - Choosing and drawing

    /// Which frames are shown.
    static func choose(_ frames: [Int], _ sharpness: Measured.Sharpness?) -> [Cell] {
        guard let first = frames.first, let last = frames.last else { return [] }
        var roles: [Int: [Role]] = [:]
        func add(_ frame: Int, _ role: Role) { roles[frame, default: []].append(role) }
        add(first, .first)
        if last != first { add(last, .last) }
        if let sharpness {
            let known = Set(frames)
            if known.contains(sharpness.sharpestFrame) { add(sharpness.sharpestFrame, .sharpest) }
            if known.contains(sharpness.blurriestFrame) { add(sharpness.blurriestFrame, .blurriest) }
        }
        for third in 1...2 where frames.count > 3 {
            let frame = frames[third * (frames.count - 1) / 3]
            if roles[frame] == nil { add(frame, .between) }
        }
        return roles.sorted { $0.key < $1.key }.map { Cell(frame: $0.key, roles: $0.value) }
    }

    private func draw(_ pictures: CapturePictures, _ capture: CaptureFacts) throws(Problem) -> (
        strip: Strip, image: RGBImage
    ) {
        var cells: [Cell] = []
        var images: [RGBImage] = []
        var first: Problem?
        for cell in Self.choose(pictures.frames, capture.measured.sharpness) {
            do throws(Problem) {
                images.append(try pictures.picture(of: cell.frame, within: Self.size))
                cells.append(cell)
            } catch {
                // Each of the others would be waited for as long, and an incomplete strip is not kept.
                if error.fault == .environment { throw error }
                first = first ?? error
            }
        }
        if cells.isEmpty { throw first ?? Problem(.input, "no frame has a picture") }
        return (Strip(cells: cells), Self.sheet(images, columns: images.count))
    }

    /// Pictures side by side in cells of ``size``, each in the middle of its own.
    static func sheet(_ images: [RGBImage], columns: Int) -> RGBImage {
        let rows = (images.count + columns - 1) / columns
        let width = columns * size.width
        var pixels = [UInt8](repeating: margin, count: width * rows * size.height * 3)
        for (place, image) in images.map({ $0.enlarged(into: size) }).enumerated() {
            let left = place % columns * size.width + (size.width - image.width) / 2
            let top = place / columns * size.height + (size.height - image.height) / 2
            for row in 0..<image.height {
                let from = row * image.width * 3
                let to = ((top + row) * width + left) * 3
                pixels.replaceSubrange(to..<to + image.width * 3, with: image.pixels[from..<from + image.width * 3])
            }
        }
        return RGBImage(width: width, height: rows * size.height, pixels: pixels)
    }

    // MARK: - What is kept

    private func save(_ made: (strip: Strip, image: RGBImage), of id: String, key: String) throws(Problem) {
        let cells = made.strip.cells.map { cell -> JSONValue in
            .object(["frame": .of(cell.frame), "roles": .of(cell.roles.map(\.rawValue))])
        }
        try kept.keep(made.image, of: id, key: key, note: ["cells": .array(cells)])
    }

    private func load(_ id: String, key: String) -> Strip? {
        let cells = (kept.note(of: id, key: key)?["cells"]?.array ?? []).compactMap { cell -> Cell? in
            guard let frame = cell["frame"]?.asCount, let roles = cell["roles"]?.array else { return nil }
            return Cell(frame: frame, roles: roles.compactMap { $0.string.flatMap(Role.init) })
        }
        return cells.isEmpty ? nil : Strip(cells: cells)
    }

    /// The picture that stands for a capture, cut from its kept strip.
    func cover(of capture: CaptureFacts) -> RGBImage? {
        guard let strip = capture.thumbnails.strip,
            let bytes = try? FileSystem.bytes(of: path(of: capture.id), limit: 64 << 20),
            let image = try? JPEG.decodeRGB(bytes), image.height == Self.size.height,
            image.width == strip.cells.count * Self.size.width
        else { return nil }
        var pixels: [UInt8] = []
        pixels.reserveCapacity(Self.size.width * Self.size.height * 3)
        for row in 0..<image.height {
            let start = (row * image.width + strip.cover * Self.size.width) * 3
            pixels += image.pixels[start..<start + Self.size.width * 3]
        }
        return RGBImage(width: Self.size.width, height: Self.size.height, pixels: pixels)
    }
}

extension RGBImage {
    /// A small picture enlarged to fit a cell, without interpolation, so that it is not lost in the middle of one.
    fileprivate func enlarged(into size: PixelSize) -> RGBImage {
        // One pixel stands for a picture that is missing.
        guard width > 1, width < size.width, height < size.height else { return self }
        let scale = min(Double(size.width) / Double(width), Double(size.height) / Double(height))
        let new = PixelSize(min(size.width, Int(Double(width) * scale)), min(size.height, Int(Double(height) * scale)))
        var larger: [UInt8] = []
        larger.reserveCapacity(new.width * new.height * 3)
        for y in 0..<new.height {
            let row = y * height / new.height * width
            for x in 0..<new.width {
                let at = (row + x * width / new.width) * 3
                larger += pixels[at..<at + 3]
            }
        }
        return RGBImage(width: new.width, height: new.height, pixels: larger)
    }
}
