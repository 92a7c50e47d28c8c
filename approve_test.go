package main

import (
	"os"

	"github.com/rogpeppe/go-internal/testscript"

	"oneshot/pkg/runfile"
)

// digest runs "digest FILE TOOL": $DIGEST becomes that of the latest call of a tool in a
// run file.
func digest(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: digest FILE TOOL")
	}
	log, err := runfile.ReadFile(ts.MkAbs(args[0]))
	ts.Check(err)
	found := ""
	for _, r := range log.Records {
		if call, ok := r.Body.(runfile.Call); ok && call.Name == args[1] {
			found = call.Digest
		}
	}
	if found == "" {
		ts.Fatalf("%s has no call of %s", args[0], args[1])
	}
	ts.Setenv("DIGEST", found)
}

// executable runs "executable FILE…".
func executable(ts *testscript.TestScript, neg bool, args []string) {
	for _, name := range args {
		ts.Check(os.Chmod(ts.MkAbs(name), 0o755))
	}
}
