// Package raced tells tests whether the race detector is on. It makes them many times as slow, and
// finds nothing where no goroutine is started. What is large there, or many, is less
// then; make check tries all of it, without the detector.
package raced

// Less returns less where the race detector is on, and all where it is not.
func Less[T any](all, less T) T {
	if Detector {
		return less
	}
	return all
}
