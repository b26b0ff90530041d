import Glibc

/// Times of day by the clock on the wall.
public enum LocalTime {
    /// - Parameter now: seconds since 1970.
    /// - Returns: the next time that the local clock shows this, seconds since 1970. On a day that skips it, because
    ///   summer time begins, an hour off.
    public static func next(hour: Int32, minute: Int32, after now: Int) -> Int {
        let today = moment(hour, minute, daysAfter: now, 0)
        return today > now ? today : moment(hour, minute, daysAfter: now, 1)
    }

    /// From fields that are set anew for each day: `mktime` changes them where that time is skipped.
    private static func moment(_ hour: Int32, _ minute: Int32, daysAfter now: Int, _ days: Int32) -> Int {
        var now = time_t(now)
        var fields = tm()
        localtime_r(&now, &fields)
        fields.tm_mday += days
        fields.tm_hour = hour
        fields.tm_min = minute
        fields.tm_sec = 0
        // Whether that is in summer time is for the system to say.
        fields.tm_isdst = -1
        return mktime(&fields)
    }
}
