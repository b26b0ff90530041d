import Foundation

/// Whether the tests run under a sanitizer, which takes several times the memory and the time. Tests of such figures say
/// aloud that they skip them.
public enum Sanitizer {
    public static let isOn: Bool = {
        let isOn = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
        if isOn { print("SKIPPED: what tests expect of memory, because they run under a sanitizer") }
        return isOn
    }()
}
