//go:build linux && !amd64

package subprocess

// Only amd64 has older calls for the same operations.
var oldChownCalls, oldChmodAndTimeCalls []uint32
