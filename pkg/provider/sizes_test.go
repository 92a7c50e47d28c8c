package provider_test

import "oneshot/internal/testsize"

var (
	growthSize = testsize.Pick(1<<16, 1<<13) // the smaller of the bodies in tests of growth, in bytes
	mutants    = testsize.Pick(50, 10)       // of each body
)
