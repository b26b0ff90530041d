extension String {
    /// Without its numbers: what messages of one kind have in common, such as 200 scores under one limit.
    package var withoutNumbers: String { filter { !$0.isNumber && $0 != "." && $0 != "-" } }
}
