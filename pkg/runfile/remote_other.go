//go:build !linux

package runfile

// Remote says nothing: what kinds of file systems there are is not known here.
func Remote(dir string) string { return "" }
