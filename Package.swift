// swift-tools-version: 6.3
import PackageDescription

// The layers, from the bottom up. Imports go one way only; Tests/ArchitectureTests/LayoutTests.swift proves it.
//
//                        scanmill            the command line
//                            │
//                       ScanStages           one file per stage, and the list
//                      ┌─────┴──────┐
//               ScanPipeline    ScanFormats  describing, checking, running │ bytes ↔ values
//                 │    └─────┬──────┘  │
//     CLinux, CNettle │  ScanModel   CScanMill   system calls, SHA-256 │ values and geometry │ C libraries

// Tests run for a moment: optimizing them takes minutes, and saves seconds. Debug information, of which the macros' code
// has much, takes a quarter of the time that is left; a failed expectation knows its line without it.
let quickly: [SwiftSetting] = [.unsafeFlags(["-Onone", "-gnone"])]

let package = Package(
    name: "scanmill",
    products: [
        .executable(name: "scanmill", targets: ["scanmill"]),
        // Only the tests of faults use it: see Tests/Sabotage/include/Sabotage.h.
        .library(name: "Sabotage", type: .dynamic, targets: ["Sabotage"]),
    ],
    dependencies: [
        .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        // Without its Foundation trait: ScanMill's own code needs the essentials alone.
        .package(url: "https://github.com/swiftlang/swift-subprocess", exact: "1.0.2", traits: []),
    ],
    targets: [
        .target(
            name: "CScanMill",
            linkerSettings: ["z", "isal", "deflate", "jpeg", "png16", "OpenEXRCore", "zip", "lz4"].map {
                .linkedLibrary($0)
            }
        ),
        .target(name: "CLinux"),
        .systemLibrary(name: "CNettle", pkgConfig: "nettle", providers: [.apt(["nettle-dev"])]),
        .target(name: "ScanModel"),
        .target(
            name: "ScanFormats",
            dependencies: ["ScanModel", "CScanMill", .product(name: "Subprocess", package: "swift-subprocess")]
        ),
        .target(
            name: "ScanPipeline",
            dependencies: ["ScanModel", "CLinux", "CNettle", .product(name: "Yams", package: "Yams")]
        ),
        .target(
            name: "ScanStages",
            dependencies: ["ScanModel", "ScanFormats", "ScanPipeline"],
            exclude: ["ScanStages.docc"]
        ),
        .executableTarget(
            name: "scanmill",
            dependencies: [
                "ScanModel", "ScanFormats", "ScanPipeline", "ScanStages",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Subprocess", package: "swift-subprocess"),
            ]
        ),
        .target(name: "TestSupport", dependencies: ["ScanModel", "ScanFormats"], path: "Tests/TestSupport"),
        // Also what `make fuzz` drives; the tests replay the corpus.
        .target(
            name: "FuzzTargets",
            dependencies: ["ScanModel", "ScanFormats", "ScanPipeline", "ScanStages", "KernelTwins"],
            path: "Fuzz/Targets"),
        .testTarget(name: "FuzzTests", dependencies: ["FuzzTargets", "TestSupport"], swiftSettings: quickly),
        .testTarget(name: "ScanModelTests", dependencies: ["ScanModel", "TestSupport"], swiftSettings: quickly),
        .testTarget(
            name: "ScanFormatsTests", dependencies: ["ScanFormats", "KernelTwins", "TestSupport"],
            swiftSettings: quickly),
        .testTarget(name: "ScanPipelineTests", dependencies: ["ScanPipeline", "TestSupport"], swiftSettings: quickly),
        .testTarget(name: "ScanStagesTests", dependencies: ["ScanStages", "TestSupport"], swiftSettings: quickly),
        .testTarget(
            name: "ScanMillTests", dependencies: ["scanmill", "ScanStages", "TestSupport"], swiftSettings: quickly),
        .target(name: "Sabotage", path: "Tests/Sabotage"),
        .testTarget(
            name: "TortureTests", dependencies: ["scanmill", "TestSupport", "CNettle"], swiftSettings: quickly),
        // The hot loops and the same in C, for counting instructions; and zlib, for comparing what is inflated.
        .target(
            name: "KernelTwins", path: "Tests/KernelTwins", linkerSettings: [.linkedLibrary("z")]),
        .executableTarget(
            name: "kernel-counts", dependencies: ["ScanModel", "KernelTwins"], path: "Tests/KernelCounts"),
        .executableTarget(
            name: "pipeline-counts", dependencies: ["ScanPipeline", "ScanStages"], path: "Tests/PipelineCounts"),
        .testTarget(
            name: "KernelTests", dependencies: ["kernel-counts", "pipeline-counts", "TestSupport"],
            swiftSettings: quickly),
        .testTarget(name: "ArchitectureTests", dependencies: ["ScanStages", "TestSupport"], swiftSettings: quickly),
    ]
)

// libFuzzer brings a `main` of its own, so that this program cannot be linked in an ordinary build.
if Context.environment["SCANMILL_FUZZ"] != nil {
    package.targets.append(
        .executableTarget(name: "scanmill-fuzz", dependencies: ["FuzzTargets"], path: "Fuzz/Program"))
}
