package provider_test

import "oneshot/internal/raced"

var (
	growthSize = raced.Pick(1<<16, 1<<13) // the smaller of the bodies in tests of growth, in bytes
	mutants    = raced.Pick(50, 10)       // of each body
)
