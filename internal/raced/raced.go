// Package raced chooses the size of test inputs. Large inputs are for make check and make test-long, which set
// ONESHOT_TESTS=long. With the race detector inputs are always small, because it slows tests down many times and finds
// nothing in code without goroutines.
package raced

import "os"

// Full reports whether tests use their largest inputs.
func Full() bool { return !Detector && os.Getenv("ONESHOT_TESTS") == "long" }

// Less returns all if tests use their largest inputs, and less otherwise.
func Less[T any](all, less T) T {
	if Full() {
		return all
	}
	return less
}
