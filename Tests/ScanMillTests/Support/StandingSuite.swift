import Foundation
import TestSupport

/// A suite whose tests run `quick.yaml` on two captures, and ask how their results stand.
protocol StandingSuite {
    var folder: TemporaryFolder { get }
}

extension StandingSuite {
    /// A folder with the pipeline and the captures, `in/a` and `in/b`.
    static func captures() throws -> TemporaryFolder {
        let quick = try QuickRun()
        for name in ["a", "b"] { try quick.copySample(name) }
        return quick.folder
    }

    func scanmill(_ arguments: String...) throws -> CommandResult {
        try Scanmill.run(arguments, in: folder.path)
    }
}
