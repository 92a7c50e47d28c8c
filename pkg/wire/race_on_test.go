//go:build race

package wire_test

// The race detector slows tests down; there are no goroutines in them.
const (
	growthSize = 1 << 13
	mutants    = 10
)
