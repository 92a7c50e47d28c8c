//go:build !race

package dialect

const (
	growthSize   = 1 << 21 // bytes of the smaller of two texts that are compared
	hostileShare = 4       // how many dialects share the texts that are hostile to all
	allSplits    = 2048    // up to how many bytes all splits of a text are tried
	stride       = 1       // one of how many is tried: markers, cuts, evil texts
	anyTexts     = "100"   // how many texts are drawn for each property
)
