//go:build !race

package literal

const growthSize = 1 << 18
