import ScanModel
import Testing

/// Mistakes are made in files: whatever was done to a pose since it was read, what was meant is found by what stands there.
@Suite struct PoseInFileTests {
    private enum Mistake: CaseIterable { case axes, inverse, inverseOfOtherAxes, transposed }

    private static func spoil(_ pose: Pose, _ mistake: Mistake) -> Pose {
        switch mistake {
        case .axes: pose.withCVAxes
        case .inverse: pose.inverse
        case .inverseOfOtherAxes: pose.withCVAxes.inverse
        case .transposed: Pose(rotation: pose.rotation.transposed, position: pose.position)
        }
    }

    private static func hypothesis(_ mistake: Mistake, _ axes: CameraAxes) -> GeometryHypothesis {
        switch (mistake, axes) {
        case (.axes, _): .cvAxes
        case (.inverse, .openGL), (.inverseOfOtherAxes, .openCV): .inverse
        case (.inverse, .openCV), (.inverseOfOtherAxes, .openGL): .inverseCV
        case (.transposed, .openGL): .transposedRotation
        case (.transposed, .openCV): .transposedRotationCV
        }
    }

    private static func pose(_ x: Double, _ y: Double, _ z: Double, at position: Vector3) -> Pose {
        Pose(rotation: Quaternion(rotationVector: Vector3(x, y, z)).matrix, position: position)
    }

    @Test(arguments: [CameraAxes.openGL, .openCV], 0..<4)
    func whatWasMeantIsFound(axes: CameraAxes, quarters: Int) {
        var capture = Capture(id: "a")
        capture.fileAxes = axes
        capture.quarterTurns = quarters
        capture.savedFromWorld = Self.pose(0.7, -0.2, 1.1, at: Vector3(0.5, -2, 0.3))
        let colorFromDepth = Self.pose(0.02, 0.1, -0.03, at: Vector3(0.05, 0, 0.01))
        capture.depthCamera = DepthCamera(
            intrinsics: CameraIntrinsics(
                fx: 50, fy: 50, cx: 32, cy: 24, width: 64, height: 48, pixelOrigin: .corner),
            colorFromDepth: colorFromDepth)
        let file = PoseInFile(of: capture, colorFromCamera: colorFromDepth)
        /// Of the depth camera, as stages find it.
        func found(_ inFile: Pose) -> Pose {
            let read = axes == .openCV ? inFile.withCVAxes : inFile
            let color = (capture.savedFromWorld.inverse * read).turned(quarterTurns: quarters)
            return capture.depthView(camera: capture.depthCamera!.intrinsics, pose: color).pose
        }
        let truth = [
            Self.pose(0.3, 0.8, -0.4, at: Vector3(1, 2, 3)), Self.pose(-0.5, 0.2, 0.9, at: Vector3(0.2, 1.5, -2)),
        ]
        let expected = found(truth[0]).inverse * found(truth[1])
        for mistake in Mistake.allCases {
            let hypothesis = Self.hypothesis(mistake, axes)
            let spoilt = truth.map { found(Self.spoil($0, mistake)) }
            let meant = spoilt.map { hypothesis.pose($0, file) }
            #expect(Self.difference(meant[0].inverse * meant[1], expected) < 1e-12, "\(mistake)")
            #expect(Self.difference(spoilt[0].inverse * spoilt[1], expected) > 0.1, "\(mistake)")
        }
    }

    private static func difference(_ a: Pose, _ b: Pose) -> Double {
        zip(a.rowMajorRows.joined(), b.rowMajorRows.joined()).reduce(0) { max($0, abs($1.0 - $1.1)) }
    }

    /// Whoever follows the message must not break what is right.
    @Test func axesAreNamedByWhatTheFormatHas() {
        let (gl, cv) = (CameraAxes.openGL, CameraAxes.openCV)
        let axes = GeometryHypothesis.cvAxes
        #expect(
            axes.meaning(inFileWith: gl).contains(
                "have OpenCV's axes (x right, y down, z into the scene), not OpenGL's"))
        #expect(
            axes.meaning(inFileWith: cv).contains("have OpenGL's axes (x right, y up, z towards the viewer), where"))
        let inverse = "the inverse of what they should be"
        #expect(GeometryHypothesis.inverse.meaning(inFileWith: gl).hasSuffix(inverse))
        #expect(GeometryHypothesis.inverseCV.meaning(inFileWith: cv).hasSuffix(inverse))
    }
}
