package literal

import "oneshot/internal/raced"

var (
	growthSize  = raced.Pick(1<<18, 1<<15)
	growthShare = raced.Pick(1, 5)  // every n-th piece is repeated after each beginning
	partsStride = raced.Pick(5, 29) // every n-th piece is combined with each other one
)
