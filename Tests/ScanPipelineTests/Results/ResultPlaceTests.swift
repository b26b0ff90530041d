import Foundation
import ScanModel
import ScanPipeline
import TestSupport
import Testing

@Suite struct ResultPlaceTests {
    /// Without an exchange of names there is no result for a moment, and then another one.
    @Test func aResultThatIsReplacedMeanwhileIsNoObstacle() throws {
        let fixture = try OutputFixture()
        try fixture.publish(["a": "a"])
        try fixture.folder.write("{}", to: "out/.scanmill/inputs/scan.json")
        let (scan, state) = ("\(fixture.root)/scan", StateFolder(output: fixture.root))
        DispatchQueue.concurrentPerform(iterations: 2) { number in
            for round in 0..<3000 {
                if number == 0 {
                    #expect(throws: Never.self) {
                        try fixture.folder.write(OutputFixture.receipt, to: "out/new/receipt.json")
                    }
                    #expect(rename(scan, "\(scan).old") == 0 && rename("\(fixture.root)/new", scan) == 0)
                    FileSystem.removeTree("\(scan).old")
                } else {
                    #expect(ResultPlace(scan).obstacle?.message() == nil, "\(round)")
                    #expect(state.lost.isEmpty, "\(round)")
                }
            }
        }
    }
}
