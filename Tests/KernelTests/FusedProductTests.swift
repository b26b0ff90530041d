import Foundation
import TestSupport
import Testing

/// A product that is fused with a sum rounds once instead of twice. arm64 has instructions for that, and C's compiler uses
/// them where nobody forbids it; Swift's never does. The C code is compiled for arm64 here, on whatever processor.
@Suite struct FusedProductTests {
    /// What the C code takes from the C library, whose headers for another processor need not be installed.
    private static let headers = [
        "math.h": "float fabsf(float); float sqrtf(float); double fabs(double); double floor(double);",
        "stdlib.h": """
        #include <stddef.h>
        void *malloc(size_t); void *calloc(size_t, size_t); void *realloc(void *, size_t); void free(void *);
        """,
        "string.h": "#include <stddef.h>\nvoid *memcpy(void *, const void *, size_t);",
    ]

    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for (name, text) in Self.headers { try folder.write(text + "\n", to: "include/\(name)") }
    }

    /// How many products of a C file are fused on arm64; nil, and said aloud, where there is no clang.
    private func fusedProducts(in path: String) throws -> Int? {
        guard try runCommand(["clang", "--version"]).status == 0 else {
            print("SKIPPED: fused products, because clang is not on the PATH")
            return nil
        }
        let checkout = SharedData.checkout.path
        let includes = [
            "\(folder.path)/include", "\(checkout)/Sources/CScanMill", "\(checkout)/Sources/CScanMill/include",
            "\(checkout)/Tests/KernelTwins/include",
        ]
        let compiled = try runCommand(
            ["clang", "-target", "aarch64-linux-gnu", "-ffreestanding", "-O2", "-S", "-o", "-"]
                + includes.flatMap { ["-I", $0] } + [path])
        try #require(compiled.status == 0, "\(compiled.errors)")
        return compiled.output.matches(of: #/\s(fn?madd|fn?msub|fmla|fmls)\s/#).count
    }

    @Test(arguments: [
        "Sources/CScanMill/kernels.c", "Sources/CScanMill/sharpness.c", "Sources/CScanMill/yuv.c",
        "Tests/KernelTwins/twins.c",
    ])
    func kernelsFuseNone(_ file: String) throws {
        guard let fused = try fusedProducts(in: "\(SharedData.checkout.path)/\(file)") else { return }
        #expect(fused == 0)
    }

    /// What is added to the kernels later fuses none either.
    @Test func theKernelsHeaderForbidsIt() throws {
        let product = "float f(float a, float b, float c) { return a * b + c; }\n"
        let free = try folder.write(product, to: "free.c")
        let bound = try folder.write("#include \"vector.h\"\n" + product, to: "bound.c")
        guard let most = try fusedProducts(in: free), let none = try fusedProducts(in: bound) else { return }
        #expect(most == 1 && none == 0)
    }
}
