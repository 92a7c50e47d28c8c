package literal

import "oneshot/internal/raced"

var (
	growthSize  = raced.Pick(1<<18, 1<<15)
	growthShare = raced.Pick(1, 5)  // one of how many pieces is repeated behind each beginning
	partsStride = raced.Pick(5, 29) // one of how many pieces stands beside each other one
)
