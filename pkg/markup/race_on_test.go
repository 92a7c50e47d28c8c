//go:build race

package markup

// The race detector slows tests of growth down; there are no goroutines in them.
const growthSize = 1 << 13
