//go:build race

package dialect

// The race detector slows tests down; there are no goroutines in them.
const (
	growthSize   = 1 << 17
	hostileShare = 40
	allSplits    = 128
	markerStride = 9
)
