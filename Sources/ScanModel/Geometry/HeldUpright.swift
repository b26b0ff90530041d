/// Which way is up in a world that does not say it, as far as the way in which the camera was held tells.
///
/// People hold a camera level, or tilt it alike all the time, and turn about the vertical. So the vertical is what stays
/// where it is in the camera's own axes, while the two other axes of the world go round.
public enum HeldUpright {
    /// The mean of a direction of the world in the cameras' axes, which are x right, y up, z backward.
    /// - Returns: a vector as long as 1 where all cameras see the direction alike, and near 0 where they turn about another.
    public static func mean(of direction: Vector3, in poses: [Pose]) -> Vector3 {
        poses.reduce(.zero) { $0 + $1.rotation.transposed * direction } / Double(max(1, poses.count))
    }

    /// The axes of the world that may be up: two where the camera was held on its side, either of which may have been
    /// above; none where it turned too little, or too wildly, to tell. In real recordings, the mean of the vertical lacks a
    /// third or less of what those of the other axes lack of the length 1.
    public static func axes(_ poses: [Pose]) -> [WorldAxis] {
        let means: [Vector3] = WorldAxis.allCases.prefix(3).map { axis in mean(of: axis.direction, in: poses) }
        let lacks = means.map { 1 - $0.length }
        guard let steadiest = lacks.indices.min(by: { lacks[$0] < lacks[$1] }), lacks[steadiest] < 0.2,
            lacks.indices.allSatisfy({ $0 == steadiest || lacks[$0] > max(0.01, 3 * lacks[steadiest]) })
        else { return [] }
        let (plus, minus) = (WorldAxis.allCases[steadiest], WorldAxis.allCases[steadiest + 3])
        let seen = means[steadiest]
        // Seen from straight above, up is behind the camera.
        let isFromAbove = seen.x * seen.x + seen.y * seen.y < 0.1
        let upright = isFromAbove ? seen.z : seen.y
        if abs(upright) < abs(seen.x) { return [plus, minus] }
        return [upright > 0 ? plus : minus]
    }
}
