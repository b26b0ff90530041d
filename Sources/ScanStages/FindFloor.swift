import ScanModel
import ScanPipeline

/// Finds the floor.
public struct FindFloor: CaptureStage, DemandingStage {
    public static let card = StageCard(
        name: "find-floor",
        summary: "Find the dominant horizontal plane below the cameras: the floor, or the table that was filmed.",
        details: """
            The cloud is cut into layers of 2 cm along the world's up. Of those at least `clearance` below nine tenths
            of the cameras, the three neighbouring layers whose points cover the most ground, in cells of 5 cm, hold the
            floor. Cells are counted rather than points, because places near the cameras have more points. A plane is
            fitted to the points of these layers, without those of walls; if the plane is tilted, points near it outside
            the layers count too. The floor's height is the mean height of the points that the plane fits. The plane
            gives the tilt, up to some 5°; above 2° there is a warning: the world may not be upright. In a world that is
            tilted further, another plane or none is found. A capture that does not say which way is up fails.

            `crop` measures heights from the floor. Layers that cover less than `min-area` are no floor, and the capture
            goes on without one. `area` in the receipt is what they cover: of a tilted floor, only a strip.
            """,
        example: "- find-floor", revision: 6)

    let clearance: Double
    let minArea: Double

    public init(_ options: inout OptionReader) {
        clearance = options.number(
            "clearance", "The floor's least distance below nine tenths of the cameras.", default: 0.1, in: 0...100,
            usual: 0...5, unit: "m")
        minArea = options.number(
            "min-area", "The smallest area that counts as a floor.", default: 0.25, in: 0...1e6, unit: "m²")
    }

    public var uses: Uses {
        Uses(finish: .init(needs: [.frames, .cloud, .pose], mayMake: [.floor]), instead: [[.cloud]: [.cloudFromDepth]])
    }

    private static func up(of capture: Capture) throws(Problem) -> Vector3 {
        try capture.requiredUp(
            "so no plane is known to be horizontal",
            fix: "use a pipeline that needs no floor, such as the ready-made room-nerf")
    }

    public func check(_ capture: Capture, _ label: String) throws(Problem) { _ = try Self.up(of: capture) }

    public func finish(_ capture: inout Capture, in context: StageContext) throws(Problem) {
        let up = try Self.up(of: capture)
        context.warnUnlessMetric(capture, "cells of 5 cm may be anything")
        // Not below the lowest: recordings end with the phone being laid down, and a single pose may be wrong.
        let low = Distribution(capture.cameraPositions.map(up.dot))?.range(without: 0.1).lowerBound ?? .infinity
        guard let cloud = capture.cloud,
            let floor = Floor.find(in: cloud, up: up, below: low - clearance, minArea: minArea)
        else {
            context.record("found", .bool(false))
            context.warn(
                "no floor was found: nothing horizontal of \(OptionText.number(minArea)) m² lies "
                    + "\(OptionText.number(clearance)) m and more below the cameras")
            // A floor that a stage above found would otherwise be taken for this stage's.
            capture.floor = nil
            capture.channels.remove(.floor)
            capture.absences[.floor] = "\(context.label) found none"
            return
        }
        context.record("found", .bool(true))
        context.record("height", .number(floor.height))
        context.record("tilt-degrees", .number(floor.tilt))
        context.record("area", .number(floor.area))
        context.record("points", .of(floor.pointCount))
        context.recordUnlessMetric(capture)
        if floor.tilt > 2 {
            context.warn("the floor is tilted by \(floor.tilt.rounded(decimals: 1))°: the world may not be upright")
        }
        capture.floor = floor
        capture.channels.insert(.floor)
    }
}
