//go:build !linux

package cmd

// Harden keeps the memory of this process, which contains keys, out of core files.
func Harden() { disableCoreDumps() }
