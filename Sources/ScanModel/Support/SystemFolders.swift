/// Folders that operating systems put among people's own, apart from hidden ones.
package enum SystemFolders {
    package static let names: Set = [
        "__MACOSX", "@eaDir", "System Volume Information", "$RECYCLE.BIN", "lost+found",
    ]
}
