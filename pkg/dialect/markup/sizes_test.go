package markup

import "oneshot/internal/raced"

var growthSize = raced.Pick(1<<17, 1<<13)
