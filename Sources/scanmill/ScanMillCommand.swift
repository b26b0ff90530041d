@main
struct ScanMillCommand {
    static func main() {}
}
