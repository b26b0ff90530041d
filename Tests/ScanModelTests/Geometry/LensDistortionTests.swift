import ScanModel
import Testing

@Suite struct LensDistortionTests {
    struct Sample: Sendable {
        var lens: LensDistortion
        /// fx, fy, cx, cy.
        var camera: [Double]
        /// Where (0.3, −0.2, 1) and (−0.55, 0.4, 1) are seen; pixels.
        var seen: [[Double]]
    }

    /// Printed by pycolmap 4.2.1's `Camera.img_from_cam`: SIMPLE_RADIAL, RADIAL, OPENCV, FULL_OPENCV, OPENCV_FISHEYE,
    /// SIMPLE_RADIAL_FISHEYE, RADIAL_FISHEYE, FISHEYE, THIN_PRISM_FISHEYE, RAD_TAN_THIN_PRISM_FISHEYE, FOV, SIMPLE_DIVISION,
    /// DIVISION, EUCM.
    static let samples = [
        Sample(
            lens: LensDistortion(radial: [-0.12, 0, 0, 0]), camera: [500, 500, 320, 240],
            seen: [[467.66, 141.56], [60.2625, 428.9]]),
        Sample(
            lens: LensDistortion(radial: [-0.12, 0.03, 0, 0]), camera: [500, 500, 320, 240],
            seen: [[467.73605, 141.5093], [58.49777344, 430.1834375]]),
        Sample(
            lens: LensDistortion(radial: [-0.12, 0.03, 0, 0], tangential: [0.002, -0.003]),
            camera: [500, 510, 322, 238], seen: [[469.15105, 137.937286], [58.45652344, 433.45845625]]),
        Sample(
            lens: LensDistortion(
                radial: [-0.12, 0.03, 0.01, 0], divisor: [0.05, -0.02, 0.004], tangential: [0.002, -0.003]),
            camera: [500, 510, 322, 238], seen: [[468.24826853, 138.5511774], [63.12658053, 429.99412299]]),
        Sample(
            lens: LensDistortion(.fisheye, radial: [0.04, -0.01, 0.003, -0.0007]), camera: [300, 302, 322, 238],
            seen: [[408.78032926, 179.76075681], [175.19925413, 345.47594001]]),
        Sample(
            lens: LensDistortion(.fisheye, radial: [0.04, 0, 0, 0]), camera: [300, 300, 322, 238],
            seen: [[408.79228314, 180.13847791], [175.03299554, 344.88509415]]),
        Sample(
            lens: LensDistortion(.fisheye, radial: [0.04, -0.01, 0, 0]), camera: [300, 300, 322, 238],
            seen: [[408.77989672, 180.14673552], [175.21733784, 344.75102702]]),
        Sample(
            lens: LensDistortion(.fisheye), camera: [300, 302, 322, 238],
            seen: [[408.3785352103, 180.0304052588], [177.1003084805, 344.0841377913]]),
        Sample(
            lens: LensDistortion(
                .fisheye, radial: [0.04, -0.01, 0.003, -0.0007], tangential: [0.002, -0.003],
                prism: [0.004, 0, -0.005, 0]),
            camera: [300, 302, 322, 238],
            seen: [[408.6007065411, 179.7969208491], [174.6827429135, 345.6092766357]]),
        Sample(
            lens: LensDistortion(
                .fisheye, radial: [0.04, -0.01, 0.003, -0.0007], higherRadial: [0.0002, -0.0001],
                tangential: [-0.003, 0.002], prism: [0.004, -0.001, -0.005, 0.002], isRadialFirst: true),
            camera: [300, 302, 322, 238],
            seen: [[409.1943263476, 179.3427960233], [176.4186916446, 344.2326345228]]),
        Sample(
            lens: LensDistortion(.fieldOfView(0.9)), camera: [300, 302, 322, 238],
            seen: [[414.9654262924, 175.609869466], [165.2943058307, 352.7275627615]]),
        Sample(
            lens: LensDistortion(.division(-0.12)), camera: [500, 500, 320, 240],
            seen: [[467.7302795097, 141.5131469936], [58.772078202, 429.9839431258]]),
        Sample(
            lens: LensDistortion(.division(0.08)), camera: [500, 502, 320, 240],
            seen: [[471.5933170075, 138.5335398163], [33.9942797664, 448.8361768106]]),
        Sample(
            lens: LensDistortion(.unified(alpha: 0.6, beta: 1.1)), camera: [300, 302, 322, 238],
            seen: [[408.4165586413, 180.0048873119], [176.8796212561, 344.2457075895]]),
    ]

    @Test(arguments: samples) func directionsAreSeenWhereCOLMAPSeesThem(_ sample: Sample) {
        let k = sample.camera
        for ((x, y), seen) in zip([(0.3, -0.2), (-0.55, 0.4)], sample.seen) {
            let bent = sample.lens.distorted(x, y)
            #expect(abs(k[0] * bent.x + k[2] - seen[0]) < 1e-7)
            #expect(abs(k[1] * bent.y + k[3] - seen[1]) < 1e-7)
        }
    }

    @Test func theAxisStays() {
        for sample in Self.samples { #expect(sample.lens.distorted(0, 0) == (0, 0)) }
    }

    @Test func straightAndDefect() {
        #expect(LensDistortion().isStraight)
        #expect(!LensDistortion(prism: [0, 0, 0, 1e-9]).isStraight && !LensDistortion(.division(0.1)).isStraight)
        #expect(!LensDistortion(.fisheye).isStraight && !LensDistortion(tangential: [0, 1e-9]).isStraight)
        #expect(!LensDistortion(.division(0), radial: [0.1, 0, 0, 0]).isStraight)
        #expect(LensDistortion(radial: [0.1, 0, 0, 0]).defect == nil)
        #expect(LensDistortion(radial: [0, .nan, 0, 0]).defect != nil)
        #expect(LensDistortion(divisor: [0, 0, .infinity]).defect != nil)
        #expect(LensDistortion(.division(.nan)).defect != nil && LensDistortion(prism: [0, 0, 0, .nan]).defect != nil)
    }

    /// Models that a calibration began with and left at that: they see what a pinhole sees.
    @Test(arguments: [
        LensDistortion(.fieldOfView(0)), LensDistortion(.division(0)), LensDistortion(.unified(alpha: 0, beta: 1)),
        LensDistortion(isRadialFirst: true),
    ])
    func noModelBendsAtZero(_ lens: LensDistortion) {
        #expect(lens.isStraight)
        #expect(lens.distorted(0.3, -0.2) == (0.3, -0.2))
    }

    @Test func whatIsSaidOfIt() {
        #expect("\(LensDistortion(radial: [-0.12, 0, 0, 0], tangential: [0, 0.003]))" == "k1 -0.12, p2 0.003")
        #expect("\(LensDistortion(.fisheye))" == "fisheye")
        #expect("\(LensDistortion(.unified(alpha: 0.6, beta: 1.1)))" == "unified, α 0.6, β 1.1")
        #expect("\(LensDistortion(.fisheye, radial: [0, 0, 0.5, 0]))" == "fisheye, k3 0.5")
    }
}
