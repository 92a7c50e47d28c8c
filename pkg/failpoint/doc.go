// Package failpoint injects faults for crash tests: at the points where a file is
// written, synced, renamed or locked.
//
// In a normal build it does nothing and costs nothing: its functions are inlined and
// only run the operation. With the build tag crash, the environment variable [EnvVar]
// selects the point at which the process is killed or a system call fails. The
// package also tracks how much of the run file a power cut could lose.
package failpoint

// EnvVar is the environment variable that a build with the tag crash reads. Its value is "KIND N FILE": the
// fault happens at the N-th point (from 1) where it is possible, and two lines are written to FILE: the name of the
// point, and how many bytes at the end of the run file were written but not synced.
const EnvVar = "ONESHOT_FAILPOINT"

// The operations that count the unsynced bytes of the run file.
const (
	WriteRun = "write of the run file"
	SyncRun  = "fsync of the run file"
)

// The kinds of faults.
const (
	Kill  = "kill"   // SIGKILL, before and after each operation and during a write
	Full  = "enospc" // an operation fails with ENOSPC without effect
	Error = "eio"    // an operation fails with EIO without effect
	Short = "short"  // half of a write succeeds, then the disk is full
)
