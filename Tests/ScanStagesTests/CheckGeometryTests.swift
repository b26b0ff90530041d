import Foundation
import ScanFormats
import ScanModel
import ScanStages
import TestSupport
import Testing

/// Synthetic captures whose truth is known, spoilt in the ways in which people spoil them.
@Suite struct CheckGeometryTests {
    /// Once round a table, depth at the centre of each pixel.
    private static let sound = Result {
        try StageRun(
            "- synthesize: {frames: 40, rate: 4, picture-width: 96, picture-height: 72, depth-width: 64, depth-height: 48}\n"
                + "- decompress", reading: "nowhere/round", workers: 2
        ).frames
    }

    static func capture(_ spoil: (inout MemoryCapture.Item) -> Void) throws -> MemoryCapture {
        MemoryCapture(
            try sound.get().map { frame in
                var item = MemoryCapture.Item(frame)
                spoil(&item)
                return item
            })
    }

    /// nerfstudio's tools turn the world: what is the wrong way round is what stands in the file.
    @Test func posesThatAreInvertedInATurnedWorld() throws {
        let turn = Pose(
            rotation: Matrix3(rows: Vector3(0, 1, 0), Vector3(1, 0, 0), Vector3(0, 0, -1)),
            position: Vector3(0.5, -2, 0.3))
        var capture = try Self.capture { item in
            // As it is read: (turn · pose)⁻¹ in the file, of which the turn is undone.
            item.pose = item.pose.map { turn.inverse * (turn * $0).inverse }
        }
        capture.savedFromWorld = turn
        let run = try StageRun("- check-geometry: {if-wrong: warn}", on: capture)
        #expect(run.counts("check-geometry")["fits-better"]?.string == "inverse")
        #expect(run.warnings.first?.contains("the inverse of what they should be") == true)
    }

    /// The camera seems to stand; but were that so, depth would fit.
    @Test func depthThatFitsNothingIsNoCameraThatHardlyMoves() throws {
        let capture = try Self.capture { item in
            guard let pose = item.pose else { return }
            let turn = Matrix3(rows: Vector3(0, 1, 0), Vector3(1, 0, 0), Vector3(0, 0, -1))
            // Not apart as declared, and far from it the other way round.
            item.pose = Pose(
                rotation: turn * pose.rotation.transposed * turn, position: Vector3(7, 0, 0) + pose.position * 0.001)
        }
        let run = try StageRun("- check-geometry: {if-wrong: warn}", on: capture)
        #expect(run.counts("check-geometry")["verdict"]?.string == "warning")
        #expect(run.warnings.first?.contains("the geometry is in doubt") == true, "\(run.warnings)")
    }

    static func spoil(_ item: inout MemoryCapture.Item, _ mistake: GeometryHypothesis) {
        guard let pose = item.pose, let camera = item.intrinsics, var depth = item.depth else { return }
        switch mistake {
        case .declared: break
        case .cvAxes: item.pose = pose.withCVAxes
        case .inverse: item.pose = pose.inverse
        case .inverseCV: item.pose = pose.withCVAxes.inverse
        case .transposedRotation: item.pose?.rotation = pose.rotation.transposed
        case .transposedRotationCV:
            let file = pose.withCVAxes
            item.pose = Pose(rotation: file.rotation.transposed, position: file.position).withCVAxes
        case .flippedZ:
            let mirror = Matrix3(columns: Vector3(1, 0, 0), Vector3(0, 1, 0), Vector3(0, 0, -1))
            item.pose = Pose(rotation: mirror * pose.rotation * mirror, position: mirror * pose.position)
        case .unscaledIntrinsics:
            item.intrinsics = camera.resized(to: depth.size)
            item.intrinsics?.width = camera.width
            item.intrinsics?.height = camera.height
        case .depthTimes1000: depth.metres = depth.metres.map { $0 / 1000 }
        case .depthBy1000: depth.metres = depth.metres.map { $0 * 1000 }
        case .rayDepth:
            let k = camera.resized(to: depth.size)
            for v in 0..<depth.height {
                for u in 0..<depth.width {
                    let (x, y) = ((Double(u) + 0.5 - k.cx) / k.fx, (Double(v) + 0.5 - k.cy) / k.fy)
                    depth.metres[v * depth.width + u] *= Float((x * x + y * y + 1).squareRoot())
                }
            }
        case .swappedCentre:
            item.intrinsics?.cx = camera.cy
            item.intrinsics?.cy = camera.cx
        }
        item.depth = depth
    }

    @Test(arguments: GeometryHypothesis.allCases.filter { $0 != .declared })
    func theMistakeIsNamed(_ mistake: GeometryHypothesis) throws {
        var capture = try Self.capture { Self.spoil(&$0, mistake) }
        if mistake == .transposedRotationCV { capture.fileAxes = .openCV }
        let run = try StageRun("- check-geometry", on: capture)
        #expect(run.counts("check-geometry")["verdict"]?.string == "fail")
        #expect(run.counts("check-geometry")["fits-better"]?.string == mistake.rawValue)
        let warnings = run.receipt["warnings"]?.array?.compactMap(\.string) ?? []
        #expect(warnings.contains { $0.contains(mistake.meaning()) }, "\(warnings)")
    }

    /// What is seen of a frame is told by where its depth falls, not by whether there is depth: sensors leave holes.
    @Test(arguments: [0.3, 0.5, 0.6, 0.7]) func depthWithHoles(_ share: Double) throws {
        var generator = SplitMix(seed: 11)
        let run = try StageRun(
            "- check-geometry",
            on: try Self.capture { item in
                let metres = item.depth?.metres.map { Double.random(in: 0..<1, using: &generator) < share ? 0 : $0 }
                if let metres { item.depth?.metres = metres }
            })
        let counts = run.counts("check-geometry")
        #expect(counts["verdict"]?.string == "pass", "\(counts)")
        #expect(run.warnings == [])
    }

    /// Depth that is large against the path fits anything; that is no reason to make good depth 1,000 times larger.
    @Test func positionsThatAreWrong() throws {
        let run = try StageRun(
            "- check-geometry",
            on: try Self.capture { item in
                item.pose = item.pose.map { pose in
                    let p = pose.position
                    return Pose(rotation: pose.rotation, position: Vector3(-p.z, p.x, -p.y) * 100)
                }
            })
        let counts = run.counts("check-geometry")
        #expect(counts["verdict"]?.string == "fail" && counts["fits-better"] == nil)
        #expect(counts["reason"]?.string?.hasSuffix("they are in another unit than the depth, or wrong") == true)
        #expect(run.warnings.count == 1 && run.warnings[0].contains("--set read.scale=0.001  for millimetres"))
    }

    private static func capture(positionsTimes factor: Double, depthTimes scale: Float = 1) throws -> MemoryCapture {
        try capture { item in
            item.pose = item.pose.map { Pose(rotation: $0.rotation, position: $0.position * factor) }
            let metres = item.depth?.metres.map { $0 * scale }
            if let metres { item.depth?.metres = metres }
        }
    }

    /// What depth has to be multiplied by is found to a few per cent, whichever of the two is wrong, and mostly to one. 1.4
    /// lies between two steps.
    @Test(arguments: [0.4, 0.65, 1, 1.4, 5, 6.5535, 100, 1000]) func theFactorBetweenDepthAndPositionsIsFound(
        _ factor: Double
    ) throws {
        var captures = [try Self.capture(positionsTimes: factor)]
        // Depth of centimetres is no depth that scans have.
        if factor < 10 { captures.append(try Self.capture(positionsTimes: 1, depthTimes: Float(1 / factor))) }
        for capture in captures {
            let run = try StageRun("- check-geometry", on: capture)
            let counts = run.counts("check-geometry")
            let found = try #require(counts["depth-scale"]?.double, "\(counts)")
            #expect(abs(found / factor - 1) < ((0.5...10).contains(factor) ? 0.01 : 0.04), "\(found) for \(factor)")
            #expect(counts["verdict"]?.string == (factor == 1 ? "pass" : "fail"), "\(counts)")
            if factor == 1 { continue }
            #expect(counts["reason"]?.string?.hasSuffix("it is in another unit than the positions") == true)
            if factor == 5 {
                let warning = try #require(run.warnings.first)
                #expect(warning.contains("--set decompress.scale=5 , and otherwise the positions with"))
                #expect(warning.hasSuffix("--set read.scale=0.2"))
                let remedy = try #require(counts["remedy"]?.string)
                #expect(remedy.hasPrefix("if depth is wrong, ") && warning.hasSuffix("; \(remedy)"))
            }
        }
    }

    /// What is set already is taken into account.
    @Test func theFactorIsOneOfWhatIsSetAlready() throws {
        let desk = SharedData.checkout.appendingPathComponent("samples/desk").path
        func remedy(_ stages: String) throws -> String? {
            problem {
                _ = try StageRun("\(stages)\n- check-geometry: {if-wrong: fail}", reading: desk)
            }?.fix
        }
        #expect(try remedy("- read\n- decompress: {scale: 0.2}")?.contains("--set decompress.scale=1 , and") == true)
        #expect(try remedy("- read: {scale: 5}\n- decompress")?.contains("--set read.scale=1,") == true)
    }

    /// What fits nothing of a capture in a wrong unit may fit it in the right one.
    @Test func aStageBelowThatFailsNamesTheRemedyFirst() throws {
        let desk = SharedData.checkout.appendingPathComponent("samples/desk").path
        func fix(_ stage: String, read: String = "scale: 5") -> String? {
            let cloud = "- unproject\n- voxel-downsample: {size: 0.1}"
            let stages = "- read: {\(read)}\n- decompress\n- check-geometry\n\(cloud)\n- \(stage)"
            return problem { _ = try StageRun(stages, reading: desk) }?.fix
        }
        let first = "first fix what `check-geometry` warns about (the report shows it); if it fails all the same, "
        #expect(fix("crop: {below: -90}")?.hasPrefix(first + "loosen ") == true)
        #expect(fix("cull-by-box", read: "poses: cv-axes")?.hasPrefix(first + "look at the box ") == true)
        // Frames that are not there are none in any unit.
        #expect(fix("select-frames: {include: [900]}")?.hasPrefix("loosen `select-frames`") == true)
    }

    /// Two mistakes at once hide each other; that something is wrong shows.
    @Test func wrongAxesInMillimetresAreDoubted() throws {
        let desk = SharedData.checkout.appendingPathComponent("samples/desk").path
        let run = try StageRun("- read: {poses: cv-axes, scale: 1000}\n- decompress\n- check-geometry", reading: desk)
        #expect(run.counts("check-geometry")["verdict"]?.string == "warning")
        #expect(run.warnings.contains { $0.contains("the geometry is in doubt") }, "\(run.warnings)")
    }

    /// A wall that the camera goes along fits with any factor.
    @Test func whereFactorsFitAlikeNoneIsTold() throws {
        var capture = Self.wall()
        for index in capture.items.indices {
            capture.items[index].pose?.rotation = .identity
            capture.items[index].depth?.metres = Array(repeating: 3, count: 64 * 48)
        }
        let run = try StageRun("- check-geometry", on: capture)
        #expect(run.counts("check-geometry")["depth-scale"] == nil)
    }

    /// COLMAP's worlds: no failure, but the depth tells what one of their units is.
    @Test func theUnitOfAWorldIsTold() throws {
        var capture = try Self.capture(positionsTimes: 4)
        capture.isMetric = false
        let run = try StageRun("- check-geometry: {if-wrong: fail}", on: capture)
        #expect(run.counts("check-geometry")["verdict"]?.string == "undecided")
        let reason = try #require(run.counts("check-geometry")["reason"]?.string)
        let told = "the world's unit is unknown; the depth shows it:  --set read.scale="
        try #require(reason.hasPrefix(told), "\(reason)")
        let unit = try #require(Double(reason.dropFirst(told.count)))
        #expect(abs(unit - 0.25) < 0.01, "\(unit)")
    }

    /// Mistakes in a file were made before a stage turned its pictures.
    @Test(arguments: [0, 1, 2, 3]) func wrongIntrinsicsOfTurnedPictures(_ quarterTurns: Int) throws {
        for (mistake, expected) in [(true, GeometryHypothesis.swappedCentre), (false, .unscaledIntrinsics)] {
            let folder = try TemporaryFolder()
            try folder.copySample("desk", to: "desk")
            let text = String(decoding: try Data(contentsOf: folder.url("desk/desk.jsonl")), as: UTF8.self)
            let spoilt = try text.split(separator: "\n").map { line -> String in
                var json = try #require(
                    try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
                var k = try #require(json["intrinsics"] as? [Double])
                if mistake { k.swapAt(6, 7) } else { for index in [0, 4, 6, 7] { k[index] *= 0.4 } }
                json["intrinsics"] = k
                return String(decoding: try JSONSerialization.data(withJSONObject: json), as: UTF8.self)
            }
            try folder.write(Array(spoilt.joined(separator: "\n").utf8), to: "desk/desk.jsonl")
            let run = try StageRun(
                "- read\n- turn: {quarter-turns: \(quarterTurns)}\n- decompress\n- check-geometry",
                reading: folder.url("desk").path)
            let counts = run.counts("check-geometry")
            #expect(counts["fits-better"]?.string == expected.rawValue, "\(counts)")
        }
    }

    /// The length of rays and depth differ by a few per cent, which the noise of a sensor hides.
    @Test func noiseIsNoReasonForDoubt() throws {
        var generator = SplitMix(seed: 5)
        let run = try StageRun(
            "- check-geometry",
            on: try Self.capture { item in
                guard var depth = item.depth else { return }
                depth.metres = depth.metres.map {
                    $0 * Float(1 + 0.02 * (Double.random(in: 0..<1, using: &generator) - 0.5))
                }
                item.depth = depth
            })
        #expect(run.counts("check-geometry")["verdict"]?.string == "pass")
    }

    /// Half a second of lost tracking in ten: the median over all pairs is as good as ever.
    @Test func aBadStretchIsNamed() throws {
        var number = -1
        let run = try StageRun(
            "- check-geometry",
            on: try Self.capture { item in
                number += 1
                if (21...24).contains(number) { item.pose?.position.x += 0.5 }
            })
        let counts = run.counts("check-geometry")
        #expect(counts["verdict"]?.string == "warning")
        let pairs = try #require(counts["pairs-that-do-not-fit"]?.array)
        for pair in pairs {
            let (from, to) = (try #require(pair["from"]?.integer), try #require(pair["to"]?.integer))
            // One of the two is of the stretch, and the other is not.
            #expect((21...24).contains(from) != (21...24).contains(to))
            #expect(try #require(pair["median-relative-error"]?.double) > 0.1)
        }
        #expect(pairs.count >= 2)
        let errors = try #require(counts["median-relative-errors"]?.object)
        #expect(try #require(errors["declared"]?.double) < 0.02)
        #expect(run.warnings.contains { $0.contains("the geometry is in doubt") && $0.contains("pairs of frames: 2") })
    }

    /// Twice round the table, the second time 15 cm beside the first.
    @Test func aPathThatDrifts() throws {
        let frames = try StageRun(
            "- synthesize: {frames: 80, rate: 4, lap: 10, picture-width: 96, picture-height: 72, depth-width: 64, "
                + "depth-height: 48}\n- decompress", reading: "nowhere/twice-round", workers: 2
        ).frames
        func run(shiftedBy shift: Double, isCV: Bool = false) throws -> StageRun {
            let items = frames.map { frame in
                var item = MemoryCapture.Item(frame)
                if frame.index >= 40 { item.pose?.position.y += shift }
                if isCV { item.pose = item.pose?.withCVAxes }
                return item
            }
            return try StageRun("- check-geometry", on: MemoryCapture(items))
        }
        let (sound, drifting) = (try run(shiftedBy: 0), try run(shiftedBy: 0.15))
        let counts = drifting.counts("check-geometry")
        #expect(sound.counts("check-geometry")["verdict"]?.string == "pass")
        #expect(sound.warnings == [])
        #expect(try #require(sound.counts("check-geometry")["drift"]?["metres"]?.double) < 0.01)
        #expect(counts["verdict"]?.string == "warning")
        #expect(try #require(counts["seen-again"]?.integer) > 10)
        let drift = try #require(counts["drift"])
        #expect((0.07...0.16).contains(try #require(drift["metres"]?.double)), "\(drift)")
        #expect(try #require(drift["degrees"]?.double) < 1)
        let (from, to) = (try #require(drift["from"]?.integer), try #require(drift["to"]?.integer))
        #expect(from < 40 && to >= 40)
        let warning = try #require(drifting.warnings.first)
        #expect(warning.contains("what frame \(from) saw is 0."))
        #expect(warning.contains("off where frame \(to) sees it again; put `correct-drift` below"))
        let remedy = try #require(counts["remedy"]?.string)
        #expect(warning.hasSuffix("; \(remedy)") && sound.counts("check-geometry")["remedy"] == nil)
        // With a wrong convention, that is what has to be mended.
        let wrong = try run(shiftedBy: 0.15, isCV: true).counts("check-geometry")
        #expect(wrong["fits-better"]?.string == "cv-axes" && wrong["drift"] == nil)
    }

    @Test func soundCapturesPass() throws {
        let run = try StageRun("- check-geometry: {if-wrong: fail}", on: try Self.capture { _ in }, workers: 2)
        let counts = run.counts("check-geometry")
        #expect(counts["verdict"]?.string == "pass")
        #expect(try #require(counts["pairs"]?.integer) >= 8)
        let errors = try #require(counts["median-relative-errors"]?.object)
        let declared = try #require(errors["declared"]?.double)
        #expect(declared < 0.01)
        for (name, error) in errors.members where name != "declared" && name != "swapped-cx-cy" {
            #expect(try #require(error.double) >= 4 * declared, "\(name)")
        }
    }

    /// A slanted wall, the plane x / 2 + z = −3, from a camera that goes along x by 10 cm a frame and turns a little.
    /// - Parameters:
    ///   - turning: radians a frame.
    ///   - noise: the largest share by which a depth is wrong.
    ///   - scale: of the whole world.
    ///   - unit: of depth alone, in metres.
    private static func wall(
        turning: Double = 0.004, noise: Double = 0, scale: Double = 1, unit: Double = 1
    ) -> MemoryCapture {
        var generator = SplitMix(seed: 3)
        let camera = CameraIntrinsics(fx: 40, fy: 40, cx: 32, cy: 24, width: 64, height: 48, pixelOrigin: .corner)
        let normal = Vector3(0.5, 0, 1)
        return MemoryCapture(
            (0..<40).map { number in
                var pose = Pose(
                    rotation: .rotation(aboutY: turning * Double(number)), position: Vector3(0.1 * Double(number), 0, 0)
                )
                let metres = (0..<64 * 48).map { pixel -> Float in
                    let (u, v) = (Double(pixel % 64) + 0.5, Double(pixel / 64) + 0.5)
                    let ray = pose.rotation * Vector3((u - 32) / 40, -(v - 24) / 40, -1)
                    let z = (-3 - normal.dot(pose.position)) / normal.dot(ray)
                    return Float(z * scale / unit * (1 + Double.random(in: -noise...noise, using: &generator)))
                }
                pose.position = pose.position * scale
                var item = MemoryCapture.Item(
                    timestamp: Int64(number) * 100_000_000, pose: pose, intrinsics: camera)
                item.depth = DepthMap(width: 64, height: 48, metres: metres)
                return item
            })
    }

    private static func errors(_ run: StageRun) throws -> [String: Double] {
        let errors = try #require(run.counts("check-geometry")["median-relative-errors"]?.object)
        return Dictionary(uniqueKeysWithValues: errors.members.map { ($0.key, $0.value.double ?? .nan) })
    }

    /// A pixel of the wall is 1.25 % deeper than the one beside it, and what is carried falls at most half a pixel from the
    /// middle of the one that it is compared with.
    @Test func depthIsCarriedFromThePixelsMiddles() throws {
        let run = try StageRun("- check-geometry", on: Self.wall())
        let declared = try #require(try Self.errors(run)["declared"])
        #expect(declared < 0.0045)
        #expect(run.counts("check-geometry")["verdict"]?.string == "pass")
    }

    /// The pictures' camera sees half as much, and stands elsewhere.
    @Test func depthOfASensorOfItsOwnIsCarriedByItsCamera() throws {
        var capture = Self.wall()
        let camera = try #require(capture.items[0].intrinsics)
        let place = Pose(rotation: .rotation(aboutY: 0.4), position: Vector3(0.05, -0.1, 0.02))
        capture.depthCamera = DepthCamera(intrinsics: camera, colorFromDepth: place)
        for index in capture.items.indices {
            capture.items[index].pose = capture.items[index].pose.map { $0 * place.inverse }
            capture.items[index].intrinsics?.fx = 80
            capture.items[index].intrinsics?.fy = 80
        }
        let run = try StageRun("- check-geometry", on: capture)
        #expect(run.counts("check-geometry")["verdict"]?.string == "pass")
        #expect(try #require(try Self.errors(run)["declared"]) < 0.0045)
    }

    /// Where a mistake would fit only three times worse, nobody can be sure that there is none.
    @Test func aMistakeThatFitsNearlyAsWellLeavesADoubt() throws {
        let run = try StageRun("- check-geometry", on: Self.wall(turning: 0.008, noise: 0.015))
        let errors = try Self.errors(run)
        let (declared, rival) = (try #require(errors["declared"]), try #require(errors["transposed-rotation"]))
        #expect(declared < 0.02 && (2.2...3.8).contains(rival / declared), "\(rival / declared)")
        #expect(run.counts("check-geometry")["verdict"]?.string == "warning")
        #expect(run.counts("check-geometry")["reason"]?.string?.contains("not much better than") == true)
        #expect(run.warnings.count == 1)
    }

    /// Depth that lies between the length of rays and the distance along the axis is neither.
    @Test func whatFitsALittleBetterIsNoMistake() throws {
        let run = try StageRun(
            "- check-geometry",
            on: try Self.capture { item in
                guard var depth = item.depth, let camera = item.intrinsics else { return }
                let k = camera.resized(to: depth.size)
                for v in 0..<depth.height {
                    for u in 0..<depth.width {
                        let (x, y) = ((Double(u) + 0.5 - k.cx) / k.fx, (Double(v) + 0.5 - k.cy) / k.fy)
                        depth.metres[v * depth.width + u] *= Float(pow(x * x + y * y + 1, 0.3))
                    }
                }
                item.depth = depth
            })
        let errors = try Self.errors(run)
        let (declared, rival) = (try #require(errors["declared"]), try #require(errors["ray-depth"]))
        #expect(declared < 0.02 && rival < declared && rival > declared / 2, "\(rival / declared)")
        #expect(run.counts("check-geometry")["verdict"]?.string == "warning")
        #expect(run.counts("check-geometry")["fits-better"] == nil)
    }

    /// Of a few seconds of a long recording as many frames are compared as of a recording that is no longer.
    @Test func aPartIsJudgedAsIfItWereAll() throws {
        let frames = try StageRun(
            "- synthesize: {frames: 160, rate: 16, picture-width: 64, picture-height: 48, depth-width: 32, "
                + "depth-height: 24}\n- decompress", reading: "nowhere/long", workers: 2
        ).frames.map(MemoryCapture.Item.init)
        let part = try StageRun(
            "- select-time: {from: 4, to: 6}\n- check-geometry", on: MemoryCapture(frames))
        let alone = MemoryCapture(part.kept.map { frames[$0] })
        let counts = try StageRun("- check-geometry", on: alone).counts("check-geometry")
        #expect(part.kept.count > 30 && counts["verdict"]?.string == "pass", "\(counts)")
        #expect(part.counts("check-geometry")["pairs"] == counts["pairs"])
        #expect(part.counts("check-geometry")["median-relative-errors"] == counts["median-relative-errors"])
    }

    /// Each frame but the last three has a partner. Three pairs show that something is wrong, and two do not.
    @Test(arguments: [(5, "undecided"), (6, "warning")])
    func aFewPairsThatDoNotFitAreAWarning(_ frames: Int, _ verdict: String) throws {
        var capture = Self.wall(noise: 0.1)
        capture.items.removeSubrange(frames...)
        let counts = try StageRun("- check-geometry", on: capture).counts("check-geometry")
        #expect(counts["pairs"]?.integer == Int64(frames - 3))
        #expect(counts["verdict"]?.string == verdict, "\(counts)")
    }

    /// From one side of a room its other side is filmed, and then the other way round: no frame sees what another saw, only
    /// where its camera stood, which is where its points are once depth is divided by 1000.
    @Test func framesThatSeeOnlyEachOthersPlaceAreNoPairs() throws {
        let camera = CameraIntrinsics(fx: 40, fy: 40, cx: 32, cy: 24, width: 64, height: 48, pixelOrigin: .corner)
        let items = (0..<40).map { number in
            let side = number < 20 ? 1.0 : -1
            var item = MemoryCapture.Item(
                timestamp: Int64(number) * 100_000_000,
                pose: Pose(
                    rotation: .rotation(aboutY: side * .pi / 2), position: Vector3(side, 0, 0.001 * Double(number))),
                intrinsics: camera)
            // The wall behind the other place.
            item.depth = DepthMap(width: 64, height: 48, metres: Array(repeating: 3, count: 64 * 48))
            return item
        }
        let run = try StageRun("- check-geometry", on: MemoryCapture(items))
        #expect(run.counts("check-geometry")["pairs"]?.integer == 0)
        #expect(run.counts("check-geometry")["verdict"]?.string == "undecided")
        #expect(run.warnings == [])
    }

    /// Of two rooms the same side is filmed: what is far away would be seen from both, and nothing is.
    @Test func framesOfTwoRoomsTellNothing() throws {
        let camera = CameraIntrinsics(fx: 40, fy: 40, cx: 32, cy: 24, width: 64, height: 48, pixelOrigin: .corner)
        let items = (0..<40).map { number in
            let room = number < 20 ? 0.0 : 1
            var item = MemoryCapture.Item(
                timestamp: Int64(number) * 100_000_000,
                pose: Pose(
                    rotation: .rotation(aboutY: 0.05 * room), position: Vector3(10 * room, 0, 0.001 * Double(number))),
                intrinsics: camera)
            item.depth = DepthMap(width: 64, height: 48, metres: Array(repeating: Float(3 + room), count: 64 * 48))
            return item
        }
        let run = try StageRun("- check-geometry", on: MemoryCapture(items))
        #expect(run.counts("check-geometry")["verdict"]?.string == "undecided")
        #expect(run.warnings == [])
    }

    /// In a world without unit, any depth may be right; axes are wrong in any unit.
    @Test(arguments: [(GeometryHypothesis.cvAxes, "fail"), (.depthBy1000, "undecided")])
    func withoutAUnitOnlyTheUnitIsUndecided(_ mistake: GeometryHypothesis, _ verdict: String) throws {
        var capture = try Self.capture { Self.spoil(&$0, mistake) }
        capture.isMetric = false
        let run = try StageRun("- check-geometry", on: capture)
        #expect(run.counts("check-geometry")["verdict"]?.string == verdict)
    }

    /// Scans have half of their depth within 10 m: of larger numbers nobody knows whether they are millimetres.
    @Test(arguments: [(2.0, "fail"), (3, "warning")])
    func onlyAPlausibleDepthTellsTheUnit(_ scale: Double, _ verdict: String) throws {
        let run = try StageRun("- check-geometry", on: Self.wall(scale: scale, unit: 0.001))
        let counts = run.counts("check-geometry")
        let median = try #require(counts["median-depth"]?.double)
        #expect((scale == 2 ? 6000...9500 : 10_500...14_000).contains(median), "\(median)")
        #expect(counts["verdict"]?.string == verdict)
        #expect(counts["fits-better"]?.string == (scale == 2 ? "depth-by-1000" : nil))
    }

    @Test func wrongGeometryFailsTheCaptureWhereThatIsAsked() throws {
        let capture = try Self.capture { Self.spoil(&$0, .inverseCV) }
        #expect {
            _ = try StageRun("- check-geometry: {if-wrong: fail}", on: capture)
        } throws: { error in
            guard let problem = error as? Problem else { return false }
            return problem.fault == .input
                && problem.summary == "the geometry is wrong: \(GeometryHypothesis.inverseCV.meaning())"
                && problem.fix?.contains("if-wrong=warn") == true
                // An option makes up for it; the same run would fail again.
                && problem.isOfPipeline
        }
    }

    @Test func cameraThatHardlyMovesIsUndecided() throws {
        let first = try Self.sound.get()[0]
        let still = try Self.capture {
            $0.pose = first.pose
            $0.depth = first.depth
        }
        let run = try StageRun("- check-geometry: {if-wrong: fail}", on: still)
        #expect(run.counts("check-geometry")["verdict"]?.string == "undecided")
        #expect(run.counts("check-geometry")["pairs"]?.integer == 0)
    }

    @Test func dataThatCannotBeUsedAreNamed() throws {
        let placeholder = try Self.capture {
            $0.intrinsics = CameraIntrinsics(
                fx: 1, fy: 1, cx: 320.123456, cy: 240, width: 96, height: 72, pixelOrigin: .corner)
        }
        let turned = try Self.capture { item in
            guard let camera = item.intrinsics else { return }
            item.intrinsics = camera.turned(quarterTurns: 1)
            item.intrinsics?.width = camera.width
            item.intrinsics?.height = camera.height
        }
        let frozen = try Self.capture { $0.timestamp = 5 }
        for (capture, words) in [
            (placeholder, "placeholders (fx 1, fy 1, cx 320.123, cy 240 of 96×72)"), (turned, "turned against"),
            (frozen, "the clock stands still"),
        ] {
            let run = try StageRun("- check-geometry", on: capture)
            let reason = run.counts("check-geometry")["reason"]?.string ?? ""
            #expect(run.counts("check-geometry")["verdict"]?.string == "fail")
            #expect(reason.contains(words), "\(reason)")
        }
    }

    /// The sensor stands turned by 90° against the camera, and one capture's world lies on its side.
    @Test func gravityIsComparedWithThePoses() throws {
        let frames = try Self.sound.get().map(\.facts)
        let samples = ContiguousArray(
            frames.map { facts in
                let down = (facts.pose?.rotation.transposed ?? .identity) * Vector3(0, -1, 0)
                return MotionSample(timestamp: facts.timestamp ?? 0, value: Vector3(down.y, -down.x, down.z))
            })
        let found = try #require(GravityCheck.compare(samples, frames, Vector3(0, 1, 0)))
        #expect(found.turns == 1)
        #expect(found.angle < 1e-5)
        let lying = try #require(GravityCheck.compare(samples, frames, Vector3(1, 0, 0)))
        #expect(lying.angle > 30)
    }

    /// A sample says nothing of a frame that was taken a twentieth of a second later.
    @Test func gravityOfAnotherMomentIsNotCompared() throws {
        let frames = Array(try Self.sound.get().map(\.facts).prefix(1))
        let time = try #require(frames[0].timestamp)
        for (age, isCompared) in [(49_000_000, true), (51_000_000, false), (-51_000_000, false)] as [(Int64, Bool)] {
            let sample = MotionSample(timestamp: time - age, value: Vector3(0, -1, 0))
            #expect((GravityCheck.compare([sample], frames, Vector3(0, 1, 0)) != nil) == isCompared)
        }
    }

    /// Android's sensor tells what holds the device up, and iOS's what pulls it down.
    @Test(arguments: [1.0, -1]) func gravityOfAndroidPointsUp(_ sign: Double) throws {
        let desk = SharedData.checkout.appendingPathComponent("samples/desk").path
        let folder = try TemporaryFolder()
        try FileManager.default.copyItem(atPath: desk, toPath: "\(folder.path)/desk")
        let source = MemorySource(try folder.bytes("desk/desk.grav"), name: "desk.grav")
        let records = try MotionStream.samples(source, kind: .gravity).samples.flatMap { sample -> [UInt8] in
            let words = [UInt64(bitPattern: sample.timestamp)] + sample.value.components.map { (-sign * $0).bitPattern }
            return words.flatMap { word in withUnsafeBytes(of: word.bigEndian) { Array($0) } }
        }
        try folder.write(records, to: "desk/desk.grav")
        let run = try StageRun("- read\n- decompress\n- check-geometry", reading: "\(folder.path)/desk")
        let angle = try #require(run.counts("check-geometry")["gravity-angle-degrees"]?.double)
        #expect(sign > 0 ? angle < 1 : angle > 15)
    }

    /// The sensor only bears witness: a file of it that is damaged is no reason to lose the capture.
    @Test func gravityThatIsDamagedIsAWarning() throws {
        let folder = try TemporaryFolder()
        let path = try folder.copySample("desk")
        try folder.write("ply\nnonsense\n", to: "desk/desk.grav")
        let run = try StageRun("- read\n- decompress\n- check-geometry", reading: path)
        #expect(
            run.warnings == [
                "check-geometry: gravity was not compared: a PLY header has no line “nonsense” (desk.grav:2)"
            ])
        let counts = run.counts("check-geometry")
        #expect(counts["verdict"]?.string == "pass" && counts["gravity-angle-degrees"] == nil)
    }

    @Test(.enabled(if: SharedData.isThere), arguments: ["office", "office-video"])
    func realCapturesPass(_ name: String) throws {
        let run = try StageRun(
            "- read\n- decompress\n- check-geometry: {if-wrong: fail}", reading: SharedData.path(name), workers: 2)
        let counts = run.counts("check-geometry")
        #expect(counts["verdict"]?.string == "pass")
        // As measured by hand with numpy: 0.56 and 0.57 % as declared, 14 to 22 % with the wrong axes.
        let errors = try #require(counts["median-relative-errors"]?.object)
        #expect(abs(try #require(errors["declared"]?.double) - 0.0056) < 0.0005)
        #expect(abs(try #require(errors["inverse"]?.double) - 0.22) < 0.01)
        #expect(abs(try #require(errors["cv-axes"]?.double) - 0.155) < 0.01)
        #expect(abs(try #require(errors["ray-depth"]?.double) - 0.0245) < 0.002)
        #expect(try #require(counts["gravity-angle-degrees"]?.double) < 0.5)
    }

    /// Every sample with poses and depth, whatever its format.
    @Test(arguments: [
        "desk", "stray-scanner", "polycam", "3d-scanner-app", "scannetpp", "arkitscenes", "tum", "scannet",
        "7-scenes/seq-01", "sens", "transforms",
    ]) func samplesPass(_ sample: String) throws {
        let path = SharedData.checkout.appendingPathComponent("samples/\(sample)").path
        let run = try StageRun("- read\n- decompress\n- check-geometry: {if-wrong: fail}", reading: path)
        #expect(run.counts("check-geometry")["verdict"]?.string == "pass")
    }
}
