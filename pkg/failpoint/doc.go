// Package failpoint is where a test of crashes makes the program fail: at the places
// where a file is written, made durable, renamed or locked.
//
// In the program as it is built it does nothing, and costs nothing: its functions
// are inlined and do what they stand around. Built with the tag crash, the
// environment variable [Variable] says at which place the process is killed, or what a
// call of the system returns there. Of the files it knows one: how much of the run file a
// power cut could take.
package failpoint

// Variable is the environment variable that a build with the tag crash obeys. Its value is
// "KIND N FILE": what happens, at the how many-th place where it can, from 1, and the file
// that gets two lines then: the name of the place, and how many bytes at the end of the run
// file were written and not synced.
const Variable = "ONESHOT_FAULT"

// The names of the operations by which the bytes of the run file are counted that were written and
// not synced.
const (
	WriteRun = "write of the run file"
	SyncRun  = "fsync of the run file"
)

// The kinds of faults.
const (
	Kill  = "kill"   // SIGKILL, before and behind each operation and in the middle of a write
	Full  = "enospc" // an operation fails with ENOSPC, and does nothing
	Error = "eio"    // the same with EIO
	Short = "short"  // half of a write is done, and then there is no room
)
