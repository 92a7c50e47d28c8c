// Package raced tells tests how much to try. Large and numerous inputs are for make check and make test-long, which set
// ONESHOT_TESTS=long. The race detector makes tests many times as slow and finds nothing where no goroutine starts, so
// with it inputs are always the smaller ones.
package raced

import "os"

// Full reports whether tests try their largest inputs.
func Full() bool { return !Detector && os.Getenv("ONESHOT_TESTS") == "long" }

// Less returns all where tests try their largest inputs, and less elsewhere.
func Less[T any](all, less T) T {
	if Full() {
		return all
	}
	return less
}
