// Package testsize chooses the size of test inputs. Large inputs are for make check and make test-long, which set
// ONESHOT_TESTS=long. With the race detector inputs are always small, because it slows tests down many times and finds
// nothing in code without goroutines.
package testsize

import "os"

// IsLong reports whether tests use their largest inputs.
func IsLong() bool { return !RaceDetector && os.Getenv("ONESHOT_TESTS") == "long" }

// Pick returns all if tests use their largest inputs, and less otherwise.
func Pick[T any](all, less T) T {
	if IsLong() {
		return all
	}
	return less
}
