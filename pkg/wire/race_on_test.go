//go:build race

package wire_test

// The race detector slows tests of growth down; there are no goroutines in them.
const growthSize = 1 << 14
