//go:build linux && !amd64

package subprocess

// Of the processors whose calls are known only amd64 has others for the same.
var oldOwners, oldModesAndTimes []uint32
