import Glibc
import ScanPipeline

/// A moment that the run's record writes as `20261121T031500Z`, for people in this machine's time zone.
struct RunMoment: Sendable {
    private let year, month, day, hour, minute: Int
    /// Its time zone's distance from UTC, in seconds, and its name: `CEST`.
    private let offset: Int
    private let zone: String

    init?(_ stamp: String?) {
        guard let stamp, let second = RunRecord.second(ofStamp: stamp[...]) else { return nil }
        self.init(second: second)
    }

    /// - Parameter second: since 1970.
    init(second: Int64) {
        var seconds = time_t(second)
        var local = tm()
        localtime_r(&seconds, &local)
        year = Int(local.tm_year) + 1900
        month = Int(local.tm_mon)
        day = Int(local.tm_mday)
        hour = Int(local.tm_hour)
        minute = Int(local.tm_min)
        offset = local.tm_gmtoff
        zone = local.tm_zone.map { String(cString: $0) } ?? ""
    }

    /// `03:58`
    var clock: String { "\(Self.two(hour)):\(Self.two(minute))" }

    /// `03:58 CEST`
    private var zonedClock: String { "\(clock) \(zone)" }

    /// `21 November 2026`
    var date: String {
        let months = [
            "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
            "November", "December",
        ]
        return "\(day) \(months[month]) \(year)"
    }

    private static func two(_ value: Int) -> String { (value < 10 ? "0" : "") + String(value) }

    /// `20 November 2026, 21:40 to 23:10`, or with both dates, and with both zones where summer time began or ended between
    /// them.
    static func span(_ began: RunMoment?, _ ended: RunMoment?) -> String? {
        guard let began else { return ended.map { "\($0.date), \($0.clock)" } }
        guard let ended else { return "begun \(began.date), \(began.clock)" }
        let isZoned = began.offset != ended.offset
        let (from, to) = isZoned ? (began.zonedClock, ended.zonedClock) : (began.clock, ended.clock)
        if began.date == ended.date { return "\(began.date), \(from)" + (from == to ? "" : " to \(to)") }
        return "\(began.date), \(from) to \(ended.date), \(to)"
    }
}
