//go:build !race

package markup

const growthSize = 1 << 17
