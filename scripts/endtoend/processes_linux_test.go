package endtoend

import (
	"bytes"
	"os"
	"path/filepath"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// nobody is the command "nobody WORD" of scripts: it fails if a process with the word in its
// command line does not end within two seconds.
func nobody(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: nobody WORD")
	}
	found := running(ts, args[0])
	for deadline := time.Now().Add(2 * time.Second); !neg && found != "" && time.Now().Before(deadline); found = running(ts, args[0]) {
		time.Sleep(10 * time.Millisecond)
	}
	switch {
	case !neg && found != "":
		ts.Fatalf("%s is still there", found)
	case neg && found == "":
		ts.Fatalf("there is no process with %s", args[0])
	}
}

// running returns a process with a word in its command line, or "".
func running(ts *testscript.TestScript, word string) string {
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(files) == 0 {
		ts.Fatalf("no process can be seen: %v", err)
	}
	for _, file := range files {
		if words, err := os.ReadFile(file); err == nil && bytes.Contains(words, []byte(word)) {
			return filepath.Dir(file) + " " + string(bytes.ReplaceAll(words, []byte{0}, []byte(" ")))
		}
	}
	return ""
}
