package literal

import "oneshot/internal/testsize"

var (
	growthSize  = testsize.Pick(1<<18, 1<<15)
	growthShare = testsize.Pick(1, 5)  // every n-th piece is repeated after each beginning
	partsStride = testsize.Pick(5, 29) // every n-th piece is combined with each other one
)
