//go:build !crash

package failpoint

import "io"

// At is a place where the program can be made to fail.
func At(string) error { return nil }

// Around does an operation; the name is that of the places before and behind it.
func Around(_ string, do func() error) error { return do() }

// Write writes p to w; the name is that of the places before, in and behind the write.
func Write(_ string, w io.Writer, p []byte) (int, error) { return w.Write(p) }
