package endtoend

import (
	"os"
	"regexp"

	"github.com/rogpeppe/go-internal/testscript"
)

// approval runs "approval TOOL": it sets $APPROVAL to the digest that approves the last call of a tool that
// waits, according to stderr of the last program.
func approval(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: approval TOOL")
	}
	waits := regexp.MustCompile("a call of " + regexp.QuoteMeta(args[0]) + " needs approval: (sha256:[0-9a-f]{64})")
	found := waits.FindAllStringSubmatch(ts.ReadFile("stderr"), -1)
	if len(found) == 0 {
		ts.Fatalf("no call of %s waits", args[0])
	}
	ts.Setenv("APPROVAL", found[len(found)-1][1])
}

// executable runs "executable FILE…": it makes files executable.
func executable(ts *testscript.TestScript, neg bool, args []string) {
	for _, name := range args {
		ts.Check(os.Chmod(ts.MkAbs(name), 0o755))
	}
}
