import Foundation

/// LZFSE streams. The packed ones come from Apple's own library (lzfse 1.0, as in Python's pyliblzfse 0.4.1).
public enum LZFSESamples {
    /// An LZVN block, as in small streams: ``lzvnBytes``.
    public static let lzvn = bytes(
        """
        YnZ4brwCAAC3AQAAQAEA4AsBAQIDBAUGBwkKDA4QEhQWGRseISQnKi0xNAf6+eAPHCIpLzY9BAsSGSEoMDgACBAYISkyOwQNFh8pMjwGB/r5\
        4A8xPQoXJDE+CxkmNAIQHiw6CRcmNQQTIjEBECAwABAH+vngDz4RJDcKHTEEGCwAFCg8ESU6DyQ5DiM5DiQ6ECY8Egf6+eAPBB02DykCHDYQ\
        KgQeORMuCSQ/GjURLAgkABw4FDENB/r55QIhASAAEALgBQEhAiMEJQYnCSoMLhAyFDYZOx4BBzgB+eAPOR4EKhA2HAIpDzYdBCsSOSEIMBgA\
        KBA4IQkyGwQtB/r54A8oFAAsGAQxHQo3JBE+KxkGNCIQPiwaCTcmFQQzIhEH+vngDxACNCYZCz4xJBcKPTEkGAwANCgcEQU6LyQZDgM5Lgf6\
        +eAPMCghGRILBD02LykiHBYQCgQ+OTMuKSQfGhURDAgEB/r56gkHBgUEAwIBAQD2OgD0aAEH++waHyQpLjM5PgQKEBY6APhoAQf77CQvOgUR\
        HCg0AAwYJDoA+GgBB/vsJjcJGiw+ECI0BhkrOgD4aAEH+OMHBwcGAAAAAAAAAGJ2eCQ=
        """)

    public static let lzvnBytes = (0..<700).map { $0 % 50 < 30 ? UInt8(($0 * $0) >> 4 & 63) : 7 }

    /// A block of literals and matches: ``packedBytes``.
    public static let packed = bytes(
        """
        YnZ4MuAuAAAYA7AcAGgAMPNrXHKl2QAglwAAAD+QsAl3crID3N0IICgQAupWst8BfokAAAAAAPA3AM8BdxAAgEUAAAAAAJ4zVbUO1aqq2qqt\
        Va1WVVWtVnWt7+H/sKqrqqqzqladqrV1qqrqqKo6Vb1ydMxhKeLQUko7FBUVEZGFishARESliIiIiFURcYmI2ImIqIiIAACAMDK22FbYoDV4\
        bpQamE0f+Ma9bKLptTtgPbU9dvTVbKmqaiO029nn5LIp2SscqF9HXSOu0RAf3VqltQzn6huLl+rh6eM0O5TptDQiB6rSOOmDdHw6qo4OGc2g\
        zXhPkTM5UHGehDUDmtfN7MhcY14fQx1U/invShRFC6RkQjIbTOQaMiLnFOSyo2Jc5oWqFmsrThSP0SR2ETsiHjqGXI7Bq2DcjVMEWwdKgM3U\
        pw9CTclyBheC4Rh18OTGQFIgq01U1EECdAA+Y/GH99uIN9V35FJ+DT9y8e3T9W28SRn1fz4kf1ppvFVP3cvtYJHSw+httJte4K55Ko+rBK69\
        y9vZwXae1e5mk69KsWMTNx2TbooDHXuOG4lyvvev5iJznlG6rC5O2SZXF6C4TRzHuOnQA6fgni9wbN1obgub4jJs/G3TNqdKa+TtbDOJCt5/\
        un9H+EP4R9lfy9/Af7hfsAfiH9gH1h/UH9If0B/EH8IfwB++H7ofsh+wH64frB+qH6gfph+kD88Pzg/MD8sPyg/JD8jD8cPwg/BD8MPvwPuQ\
        +4D7cPtg+1D7MPsg+wD78Dq0HkgPoQfPw+ZD5gPlw+QB8tA4LA6BQ+/lAgAAAAAAAAAAAAA0MKNol6lBQwCD5aXFBiFSmLFTrpEEo4XJ6Htg\
        ZTUKiDmJb5XQiWl08Fb2PmoLEHBhe3n0ghkTyR+oHAGMRp0IizpyQidkL4NR1EIZRwCH3eXRH2asI5MgcAQwGjWKhsAOQXtGAQKby6LXzZhZ\
        3kCBkcJo9EmwsDs1ZkRjIIpKDwohoMLOcugHMRIKQQxSCGQkqk4I0xCSeQNOAuSaWRS9HApCKKNRoQSeGe4RlgTPUSNCMoiezoRTCKgwtRza\
        QBkpCbkCgJDKaHRdONJ1VgJidngk
        """)

    /// 3,000 floats like those of a depth map: steps, and here and there a random number from C's old generator.
    public static let packedBytes: [UInt8] = {
        var state: UInt32 = 1
        var bytes: [UInt8] = []
        for index in 0..<3000 {
            state = (state &* 1_103_515_245 &+ 12345) & 0x7fff_ffff
            let step = 1 + Double(index % 60 + index / 60 % 50 * 3) / 64
            let value = Float(index % 97 == 0 ? Double((state >> 16) % 500) / 100 : step)
            withUnsafeBytes(of: value.bitPattern.littleEndian) { bytes += $0 }
        }
        return bytes
    }()

    /// A stream of one stored block.
    public static func stored(_ bytes: [UInt8]) -> [UInt8] {
        Array("bvx-".utf8) + withUnsafeBytes(of: UInt32(bytes.count).littleEndian) { Array($0) } + bytes + end
    }

    /// What every stream ends with.
    public static let end = Array("bvx$".utf8)

    private static func bytes(_ text: String) -> [UInt8] { [UInt8](Data(base64Encoded: text) ?? Data()) }
}
