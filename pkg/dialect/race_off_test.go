//go:build !race

package dialect

const growthSize = 1 << 21
