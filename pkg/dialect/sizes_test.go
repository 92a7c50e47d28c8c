package dialect

import "oneshot/internal/testsize"

var (
	growthSize   = testsize.Pick(1<<21, 1<<16) // bytes of the smaller of two texts that are compared
	hostileShare = testsize.Pick(4, 120)       // how many dialects share the texts that are hostile to all
	allSplits    = testsize.Pick(2048, 32)     // up to how many bytes all splits of a text are tried
	stride       = testsize.Pick(1, 11)        // one of how many is tried: markers, cuts, evil texts
	anyTexts     = testsize.Pick("100", "15")  // how many texts are drawn for each property
)
