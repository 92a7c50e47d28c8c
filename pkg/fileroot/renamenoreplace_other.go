//go:build !linux

package fileroot

import "os"

// renameNoReplace renames a file and fails if the new name exists.
func (d *tempFile) renameNoReplace(_ *os.File, from, to string) error {
	return d.renameByLink(from, to)
}
