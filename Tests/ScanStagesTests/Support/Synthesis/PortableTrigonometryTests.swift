import Foundation
import ScanStages
import Testing

@Suite struct PortableTrigonometryTests {
    /// Quarter turns and their neighbourhoods, and angles all over.
    static let turns: [Double] = {
        let eighths = (-40...40).map { Double($0) / 8 }
        let beside = eighths.map { $0 + 1e-9 } + eighths.map { $0 - 1e-5 }
        let others = (0..<2000).map { Double($0) * 0.618_034 - 600 }
        return eighths + beside + others
    }()

    @Test func sineAgreesWithTheCLibrary() {
        for turn in Self.turns {
            // The C library gets the angle reduced to half a turn: else the rounding of its argument would be the
            // error.
            let angle = (turn - turn.rounded()) * 2 * Double.pi
            #expect(abs(PortableTrigonometry.sine(turns: turn) - sin(angle)) < 1e-15, "at \(turn) turns")
            #expect(abs(PortableTrigonometry.cosine(turns: turn) - cos(angle)) < 1e-13, "at \(turn) turns")
        }
    }

    @Test func arctangentAgreesWithTheCLibraryInAllQuadrants() {
        for turn in Self.turns {
            for radius in [1e-8, 1, 3e5] {
                let (x, y) = (radius * cos(turn), radius * sin(turn))
                #expect(abs(PortableTrigonometry.arctangent(y, x) - atan2(y, x)) < 2e-15, "at (\(x), \(y))")
            }
        }
        #expect(PortableTrigonometry.arctangent(0, 0) == 0)
        #expect(PortableTrigonometry.arctangent(0, -2) == Double.pi)
        #expect(PortableTrigonometry.arctangent(1, 0) == Double.pi / 2)
        #expect(PortableTrigonometry.arctangent(-1, 0) == -Double.pi / 2)
    }

    @Test func arcsineAgreesWithTheCLibrary() {
        for step in -1000...1000 {
            let sine = Double(step) / 1000
            #expect(abs(PortableTrigonometry.arcsine(sine) - asin(sine)) < 1e-13, "at \(sine)")
        }
        #expect(PortableTrigonometry.arcsine(1 + 1e-15) == Double.pi / 2, "a rounding error beyond 1 is no NaN")
    }
}
