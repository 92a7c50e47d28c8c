//go:build race

package dialect

// The race detector slows tests down; there are no goroutines in them.
const (
	growthSize   = 1 << 16
	hostileShare = 120
	allSplits    = 32
	stride       = 11
	anyTexts     = "15"
)
