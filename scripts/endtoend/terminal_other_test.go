//go:build !linux

package endtoend

import "github.com/rogpeppe/go-internal/testscript"

func terminal(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Fatalf("terminals are made on Linux alone")
}

func nobody(ts *testscript.TestScript, _ bool, _ []string) {
	ts.Fatalf("processes are seen on Linux alone")
}
