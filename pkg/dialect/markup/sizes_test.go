package markup

import "oneshot/internal/testsize"

var growthSize = testsize.Pick(1<<17, 1<<13)
