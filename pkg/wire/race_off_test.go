//go:build !race

package wire_test

const (
	growthSize = 1 << 16 // the smaller of the bodies in tests of growth, in bytes
	mutants    = 50      // of each body
)
