/// Folders that operating systems, storage servers and cameras put among people's own, apart from hidden ones: what was
/// thrown away, what was found on a damaged disk, what was there at an earlier time.
package enum SystemFolders {
    package static let names: Set = [
        "__MACOSX", "Network Trash Folder", "Temporary Items", "System Volume Information", "$RECYCLE.BIN", "RECYCLER",
        "lost+found", "LOST.DIR", "FOUND.000", "@eaDir", "#recycle", "#snapshot", "@Recycle", "@Recently-Snapshot",
        "~snapshot",
    ]
}
