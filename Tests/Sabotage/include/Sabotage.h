// A library for LD_PRELOAD that stands between the tool and the C library. The tests of faults use it to break the
// publishing protocol on purpose, to cut the power at a chosen call, to put strace around a capture's process, and to
// learn what memory a process takes.
// The tool itself has no switch for any of this, so nobody can turn it on by accident, and what is tested is the very
// binary that people run.
//
// SABOTAGE          words with commas between them:
//                   `straight`   what is written to the work folder goes straight to the published name
//                   `no-fsync`   fsync, fdatasync and syncfs do nothing and say that they worked
//                   `no-syncfs`  the same for syncfs alone, which serves the many files of a result
//                   `no-locks`   the filesystem has no locks
//                   `no-exchange` the filesystem cannot swap two names
//                   `few-threads` the system starts five threads for a process and refuses any more
// SABOTAGE_UNREADABLE  `path:n`: reading that file fails at byte n, as on a disk that breaks
// SABOTAGE_WRAPPER  a program that is run in place of a capture's process, with its command line as arguments
// SABOTAGE_BELOW    a folder: calls that change something below it are counted, in capture processes only
// SABOTAGE_LOG      a file to which each counted call is appended, as `name path`
// SABOTAGE_CUT      `n` or `n,flush`: before the n-th counted call the filesystem is shut down as by a power cut;
//                   with `flush`, its journal (not the data) reaches the disk first
// SABOTAGE_PEAKS    a file to which each process appends, at its end, `capture` for a capture's or `batch` for any other,
//                   and the most memory that it ever had resident, in kB: getrusage begins with what the process had that
//                   started it
#ifndef SABOTAGE_H
#define SABOTAGE_H
#endif
