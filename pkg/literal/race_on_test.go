//go:build race

package literal

// The race detector slows tests down; there are no goroutines in them.
const (
	growthSize  = 1 << 15
	growthShare = 5
	partsStride = 29
)
