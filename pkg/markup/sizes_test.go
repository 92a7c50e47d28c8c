package markup

import "oneshot/scripts/raced"

var growthSize = raced.Less(1<<17, 1<<13)
