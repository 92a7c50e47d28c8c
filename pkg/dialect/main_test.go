package dialect

import (
	"flag"
	"os"
	"testing"
)

// TestMain draws anyTexts for each property; -rapid.checks on the command line says otherwise.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", anyTexts); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
