extension String {
    /// The text of a receipt as versions wrote it that did not seal them.
    public var withoutSeal: String { replacing(#/,\s*"seal": "[^"]*"/#, with: "") }
}
