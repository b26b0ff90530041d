/// One `--set` of a suggested command.
struct OptionSetting: Sendable {
    var label: String
    var option: String
    var value: String

    init(label: String, option: String, value: String) {
        (self.label, self.option, self.value) = (label, option, value)
    }

    /// The one with which a fix ends.
    /// - Returns: nil where it ends otherwise, or names several, of which a person has to choose.
    init?(endOf fix: String) {
        guard let setting = fix.wholeMatch(of: #/.*  --set ([^ .=]+)\.([^ .=]+)=(\S+)/#),
            fix.matches(of: #/--set /#).count == 1
        else { return nil }
        self.init(label: String(setting.1), option: String(setting.2), value: String(setting.3))
    }

    /// Appends it to the settings that a run was given, and removes the one that it replaces.
    func added(to settings: [String]) -> [String] {
        settings.filter { !$0.hasPrefix("\(label).\(option)=") } + ["\(label).\(option)=\(value)"]
    }
}
