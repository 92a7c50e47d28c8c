//go:build !linux

package fileroot

import "os"

// renameNew renames a file, if nothing has the new name.
func (d *draft) renameNew(_ *os.File, from, to string) error { return d.linkNew(from, to) }
