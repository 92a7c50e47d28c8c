//go:build !race

package literal

const (
	growthSize  = 1 << 18
	growthShare = 1 // one of how many pieces is repeated behind each beginning
	partsStride = 5 // one of how many pieces stands beside each other one
)
