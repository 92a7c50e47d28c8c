//go:build !linux

package runfile

// RemoteFileSystem returns "": detection is supported only on Linux.
func RemoteFileSystem(dir string) string { return "" }
