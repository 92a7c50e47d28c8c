package markup

import "oneshot/internal/raced"

var growthSize = raced.Less(1<<17, 1<<13)
