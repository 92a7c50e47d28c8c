package provider_test

import "oneshot/internal/testsize"

var (
	growthSize = testsize.Pick(1<<16, 1<<13) // size in bytes of the smaller body in growth tests
	mutants    = testsize.Pick(50, 10)       // for each body
)
