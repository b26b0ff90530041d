import Glibc

/// The time by the wall clock, nanoseconds since 1970, as files have theirs.
public func wallClock() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return FileSystem.Status.nanoseconds(time)
}
