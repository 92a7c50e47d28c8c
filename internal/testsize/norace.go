//go:build !race

package testsize

// RaceDetector reports whether the race detector is on.
const RaceDetector = false
