//go:build race

package raced

// Detector says whether the race detector is on.
const Detector = true
