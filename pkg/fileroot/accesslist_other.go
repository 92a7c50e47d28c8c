//go:build !linux

package fileroot

import "os"

// accessList returns nil: there are no POSIX access lists.
func accessList(*os.File) ([]byte, error) { return nil, nil }

func setAccessList(*os.File, []byte) error { return nil }
