//go:build !linux

package runfile

// reserve does nothing: preallocation is supported only on Linux.
func reserve(fd uintptr, end, room int64) error { return nil }
