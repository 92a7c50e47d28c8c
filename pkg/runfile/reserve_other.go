//go:build !linux

package runfile

// reserve does nothing: room cannot be had in advance here.
func reserve(fd uintptr, end, room int64) error { return nil }
