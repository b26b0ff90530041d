/// Sine and arctangent from + − × ÷ √ alone, which IEEE 754 rounds the same everywhere: the C library's functions
/// differ in the last bit between versions and processors, and a synthesised capture must not.
package enum PortableTrigonometry {
    /// The sine of an angle in turns, off by less than 1e-15 for angles of some thousand turns.
    package static func sine(turns: Double) -> Double {
        var turn = turns - turns.rounded()
        // The sine is the same on both sides of a quarter turn.
        if turn > 0.25 { turn = 0.5 - turn } else if turn < -0.25 { turn = -0.5 - turn }
        let x = turn * (2 * Double.pi)
        let square = x * x
        // Taylor's series up to x¹⁹ / 19!; the next term is below 3e-16 at a quarter turn.
        var sum = 1.0
        for n in stride(from: 18.0, through: 2, by: -2) { sum = 1 - sum * square / (n * (n + 1)) }
        return x * sum
    }

    package static func cosine(turns: Double) -> Double { sine(turns: turns + 0.25) }

    /// The angle of the point (x, y) seen from the origin, −π…π, like the C library's `atan2`; 0 for the origin itself.
    package static func arctangent(_ y: Double, _ x: Double) -> Double {
        let (short, long) = (min(abs(x), abs(y)), max(abs(x), abs(y)))
        guard long > 0 else { return 0 }
        var tangent = short / long
        // tan(α/2) = tan α / (1 + √(1 + tan² α)): after three halvings the tangent is below 0.0985.
        for _ in 0..<3 { tangent /= 1 + (1 + tangent * tangent).squareRoot() }
        let square = tangent * tangent
        var sum = 0.0
        for n in stride(from: 15.0, through: 1, by: -2) { sum = 1 / n - sum * square }
        var angle = 8 * tangent * sum
        if abs(y) > abs(x) { angle = Double.pi / 2 - angle }
        if x < 0 { angle = Double.pi - angle }
        return y < 0 ? -angle : angle
    }

    /// −π/2…π/2.
    package static func arcsine(_ sine: Double) -> Double {
        arctangent(sine, max(0, 1 - sine * sine).squareRoot())
    }
}
