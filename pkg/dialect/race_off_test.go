//go:build !race

package dialect

const growthSize = 1 << 21

// hostileShare says how many dialects share the texts that are hostile to all.
const hostileShare = 4
