internal import CLinux

package enum BuildID {
    /// Which build of its version the running program is: another one after any change of the code, and the same on every
    /// machine that has this build; empty where the linker has left no mark.
    package static var ofThisProgram: String {
        var id = [UInt8](repeating: 0, count: 64)
        let count = Int(sm_build_id(&id, Int32(id.count)))
        return id.prefix(count).map(String.init).joined(separator: " ")
    }
}
