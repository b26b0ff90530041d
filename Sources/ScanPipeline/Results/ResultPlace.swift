import Glibc
import ScanModel

/// Where a result belongs, `OUT/<id>`, and what stands there: a result, nothing, what is left of one, or somebody
/// else's data. Other runners may put a result there, or take it away, at any moment.
package struct ResultPlace: Sendable {
    package let path: String

    package init(_ path: String) { self.path = path }

    package var receipt: String { "\(path)/\(Receipt.fileName)" }

    // MARK: - A result

    /// Whether a result stands here, however sound: its receipt is there.
    package var holdsResult: Bool { look().holdsResult }

    /// The same, and why the receipt cannot be read where that is so.
    func look() -> (holdsResult: Bool, problem: Problem?) {
        FileSystem.look(at: path, lookOfTheMoment, isGood: { $0.problem == nil })
    }

    private func lookOfTheMoment() -> (holdsResult: Bool, problem: Problem?) {
        guard FileSystem.regularSize(of: receipt) != nil else { return (false, nil) }
        do throws(Problem) {
            let file = try RegularFile(receipt, name: receipt, fault: .environment)
            let beginning = file.beginning(ReceiptMark.length)
            if beginning.isEmpty { try file.read { _ in } }
            // A damaged one counts where one is known to have stood.
            return (ReceiptMark.isOurs(beginning) || heldResult, nil)
        } catch {
            // That it may not be read, or that the disk does not give it back, does not make it a stranger's.
            return (true, error)
        }
    }

    /// Whether a result is known to have been put here.
    private var heldResult: Bool {
        FileSystem.exists(StateFolder(output: FileSystem.parent(of: path)).inputs(String(path.pathName ?? "")))
    }

    /// The result that a folder is, or in which it lies.
    /// - Parameter path: from the root, without links; it need not be there yet.
    package static func result(around path: String) -> String? {
        var folder = path
        while folder != "/" && folder != "." {
            if ResultPlace(folder).holdsResult { return folder }
            folder = FileSystem.parent(of: folder)
        }
        return nil
    }

    // MARK: - Something else

    /// Why nobody can tell whether a result stands here: it may not be entered, or the disk fails. Nil where that can be
    /// told.
    var obscurity: Problem? {
        var status = stat()
        if stat(receipt, &status) == 0 { return nil }
        let code = errno
        if FileSystem.isAbsence(code) { return nil }
        return Problem.system("cannot tell whether there is a result here", path: FileSystem.absolute(path), code: code)
            .inOutput(code)
    }

    /// What is wrong where a result is known to have been put, and something stands that has no receipt; nil elsewhere.
    var loss: Problem? {
        if !heldResult { return nil }
        let lossOfTheMoment = {
            FileSystem.exists(path) && !holdsResult && obscurity == nil ? lackOfReceipt : nil
        }
        return FileSystem.look(at: path, lossOfTheMoment, isGood: { $0 == nil })
    }

    /// What to say of a result whose receipt is not found.
    private var lackOfReceipt: Problem {
        if FileSystem.isLinkToNothing(path) { return linkToNothing }
        let fix = "put the receipt back, or remove the folder: the next run makes it again"
        do throws(Problem) {
            if try FileSystem.isThere(receipt) {
                return Problem(.environment, "this is not the receipt of a result; the folder is left alone", fix: fix)
                    .at(file: receipt)
            }
        } catch { return error }
        return Problem(
            .usage, "the result that stands here has lost its \(Receipt.fileName), and is left alone", fix: fix
        ).at(file: path)
    }

    /// Results may be moved to another disk, with links to them in their place. The disk may not be there tonight.
    package var linkToNothing: Problem {
        Problem(
            .environment, "the result is a link to a folder that is not there",
            fix: "mount the disk that it leads to; without the link, the next run makes the result again"
        ).at(file: path)
    }

    // MARK: - In a result's way

    /// What keeps a result from being put here; nil where nothing does. Only an older result is replaced, or an empty
    /// folder: anything else with the capture's name is somebody's data, such as the capture itself when OUT is the folder
    /// that it lies in.
    package var obstacle: Problem? { FileSystem.look(at: path, { obstacleOfTheMoment }, isGood: { $0 == nil }) }

    private var obstacleOfTheMoment: Problem? {
        if holdsResult { return nil }
        do throws(Problem) {
            // What cannot be looked at may be anybody's.
            if try !FileSystem.isThere(path) { return nil }
            if let obscurity { return obscurity }
            if FileSystem.isFolderItself(path), try FileSystem.list(path).isEmpty { return nil }
        } catch { return error }
        if heldResult { return lackOfReceipt }
        if FileSystem.isLinkToNothing(path) { return linkToNothing }
        return Problem(
            .usage, "what stands where the result belongs is not a result of ScanMill, and is left alone",
            fix: "name another output folder, or move this away"
        ).at(file: path)
    }

    /// What keeps the result that stands here from being replaced, though it may be kept; nil where nothing does. Of a
    /// link, only the link would be replaced, and what it leads to, perhaps on another disk, would silently stay as it is.
    var obstacleToReplacing: Problem? {
        let isLink = FileSystem.look(
            at: path, { FileSystem.exists(path) && !FileSystem.isFolderItself(path) }, isGood: { !$0 })
        if !isLink { return nil }
        return Problem(
            .usage, "the result to be replaced is a symbolic link, and is left alone",
            fix: "remove the link, or put the folder that it leads to in its place"
        ).at(file: path)
    }
}
