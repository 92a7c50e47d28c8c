//go:build !linux

package cmd

// mayHaveAccessList reports whether a file has an access list, or it is unknown.
func mayHaveAccessList(string) bool { return true }
