import ArgumentParser

/// Prints the manual page scanmill(1), for `make install`.
struct ManPageCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "man-page", shouldDisplay: false)

    func run() throws { Console.raw(ManPage.text(try CommandTree.scanmill()), to: 1) }
}
