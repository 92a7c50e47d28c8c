package dialect

import (
	"flag"
	"os"
	"testing"
)

// TestMain sets the number of texts per property to anyTexts, unless the command line has
// -rapid.checks.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", anyTexts); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
