import Foundation

/// Whether the tests run under a sanitizer, which takes several times the memory and time. Tests that measure these say
/// aloud that they skip.
public enum Sanitizer {
    public static let isOn: Bool = {
        let isOn = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
        if isOn { print("SKIPPED: what tests expect of memory, because they run under a sanitizer") }
        return isOn
    }()
}
