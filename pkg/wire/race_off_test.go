//go:build !race

package wire_test

// growthSize is the smaller of the bodies in tests of growth, in bytes.
const growthSize = 1 << 16
