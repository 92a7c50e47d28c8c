//go:build !linux

package cmd

// mayHaveAccessList returns true: access lists cannot be read on this system.
func mayHaveAccessList(string) bool { return true }
