//go:build !race

package literal

const (
	growthSize  = 1 << 18
	partsStride = 5 // one of how many pieces stands beside each other one
)
