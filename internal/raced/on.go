//go:build race

package raced

// Detector reports whether the race detector is on.
const Detector = true
