package dialect

import "oneshot/internal/testsize"

var (
	growthSize   = testsize.Pick(1<<21, 1<<16) // bytes of the smaller of two compared texts
	hostileShare = testsize.Pick(4, 120)       // number of dialects that share the common hostile texts
	allSplits    = testsize.Pick(2048, 32)     // bytes up to which all splits of a text are tried
	stride       = testsize.Pick(1, 11)        // one in so many markers, cuts and injections is tried
	anyTexts     = testsize.Pick("100", "15")  // number of texts drawn for each property
)
