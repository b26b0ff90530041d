/// What ``DefaultsTests`` holds the stages against.
enum StageDefaults {
    static let recorded = """
        read 3
            format: auto
            mismatch: auto
            truncated: fail
            min-whole: 0.5
            on-bad-frame: drop
            bad-frame-limit: 0.05
            rate
            up: recorded
            poses: recorded
            scale
            max-frames: 250000
            max-line: 1000000
            max-picture-pixels: 250000000
            max-points: 50000000
            max-archive-entries: 100000
            max-archive-bytes: 4294967296
            max-archive-ratio: 200

        synthesize 1
            frames: 60
            seed: 1
            rate: 30
            lap: 20
            picture-width: 640
            picture-height: 480
            depth-width: 256
            depth-height: 192
            blur-every: 7
            gap-every: 0
            depth: float16
            confidence: 0-2
            pictures: true
            box: true
            floor-clamp: false
            motion: true

        undistort 4
            one-camera: false

        turn 4
            quarter-turns: auto

        resize 2
            width
            height
            longest

        select-every 2
            step
            offset: 0
            count

        select-frames 1
            include
            exclude
            if-missing: fail

        select-time 1
            from: 0
            to

        filter-view 1
            at-least: 0.001
            if-missing: fail

        measure-motion 6
            too-fast: 1
            too-fast-turning: 90
            too-slow: 0.02
            too-slow-turning: 2
            jump-speed: 3
            jump-turning: 360

        measure-blur 2
            gray: bt601

        filter-blur 6
            at-least
            keep
            window
            seconds
            count
            gray: bt601

        decompress 4
            scale: 1
            ray-length: false

        measure-depth 5

        predict-blur 5
            exposure
            distance
            jump-speed: 3
            jump-turning: 360

        filter-motion 6
            speed
            turning
            blur
            after-jump
            jump-speed: 3
            jump-turning: 360

        select-keyframes 2
            distance: 0.1
            angle: 10
            per-face

        mask-confidence 2
            at-least: 2
            if-missing: fail

        mask-range 1
            near: 0.1
            far: 10

        mask-jumps 6
            max: 0.05
            within: 0.05

        correct-drift 3
            min-apart: 0.75

        check-geometry 14
            if-wrong: warn

        unproject 4
            every: 1
            pixel-centre: integer
            color: true
            normals: false

        cull-by-box 8
            box: capture
            margin: 0
            bottom: 0
            keep: inside
            depth: false
            pixel-centre: integer
            if-empty: fail

        voxel-downsample 2
            size: 0.02
            min-points: 1

        fuse-depth 7
            voxel: 0.02
            truncation: 4
            min-frames: 2
            min-piece: 100
            carve: true
            color: true
            pixel-centre: half

        sample-mesh 1
            spacing: 0.01

        find-floor 6
            clearance: 0.1
            min-area: 0.25

        crop 4
            above
            below
            around
            from: auto
            centre: cameras
            if-empty: fail

        fit-box 2
            if-empty: fail

        scatter-points 1
            count: 100000
            within: cameras
            reach: 3
            seed: 1

        report-coverage 4

        downscale 1
            factors: [2, 4, 8]

        write-ply 1
            file: {id}.ply
            unit: m
            up: recorded

        write-mesh 1
            file: {id}_mesh.ply
            unit: m
            up: recorded

        write-transforms 15
            dialect: nerfstudio
            z-up: true
            color: copy
            quality: 95
            depth: false
            depth-size: map
            masks: recorded
            mask-margin: 0
            mask-bottom: 0
            mask-as: files
            mask-if-missing: fail
            test-every: 0
            keep-split: true

        write-colmap 8
            color: copy
            quality: 95
            depth: false
            depth-size: map
            masks: recorded
            mask-margin: 0
            mask-bottom: 0
            mask-as: files
            mask-if-missing: fail
            test-every: 0
            keep-split: true
            inverse-depth: false
            cameras: shared

        write-zip 7
            color: png
            quality: 95

        write-frames 5
            step: 1
            depth: png16
            color: copy
            quality: 95
            rounding: nearest
            number: kept
            confidence: none
            near: 0.2
            far: 5

        write-staging 14
            depth: masked
            rgb: auto
            color: copy
            quality: 95

        write-tum 9
            color: copy
            quality: 95
            depth: true

        write-capture 13
            format: stray-scanner
            quality: 95

        write-scannet 10
            layout: extracted
            depth: true
            color: copy
            quality: 95
            number: source

        write-sens 3
            depth: true
            color: copy
            quality: 95

        write-thumbnail 1
            width: 320
            upright: true
            quality: 85

        write-preview 1
            width: 320
            speed: 1
            rate: 25
            upright: true
            rate-factor: 23

        write-contact-sheet 3
            of: color
            count: 120
            columns: 10
            rows: 12
            width: 1920
            near: 0.2
            far: 5
            upright: true
            quality: 85

        render-cloud 10
            view: sheet
            width: 1600
            height: 1200
            box: true
            cameras: time
            around: all
            point-size
            cloud: true
            ceiling: hide

        render-mesh 3
            view: sheet
            width: 1600
            height: 1200
            box: true
            cameras: time
            around: all
            colors: true
        """
}
