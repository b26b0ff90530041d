import Glibc

/// The wall-clock time, nanoseconds since 1970, like the times of files.
public func wallClock() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return FileSystem.Status.nanoseconds(time)
}
