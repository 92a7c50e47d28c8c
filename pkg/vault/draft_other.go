//go:build !linux

package vault

// renameNew renames a file if nothing has the new name.
func (d *draft) renameNew(from, to string) error { return d.linkNew(from, to) }
