package wire_test

import "oneshot/internal/raced"

var (
	growthSize = raced.Less(1<<16, 1<<13) // the smaller of the bodies in tests of growth, in bytes
	mutants    = raced.Less(50, 10)       // of each body
)
