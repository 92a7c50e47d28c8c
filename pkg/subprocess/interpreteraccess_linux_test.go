package subprocess

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// The interpreter or loader of a program is found, and must be readable in each sandbox.
func TestBegins(t *testing.T) {
	dir := t.TempDir()
	made := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	fifo := filepath.Join(dir, "fifo")
	if err := unix.Mkfifo(fifo, 0o755); err != nil {
		t.Fatal(err)
	}
	inner := made("inner", "#! "+dir+"/plain -x\n")
	made("plain", "text")
	sh := interpreterOf("/bin/sh")
	elf, err := os.ReadFile("/bin/sh")
	if err != nil || sh == "" {
		t.Skip("/bin/sh has no loader: ", err)
	}
	for path, want := range map[string]string{
		inner:                                  dir + "/plain",
		made("nested", "#!"+inner):             inner + " " + dir + "/plain",
		made("script", "#!/bin/sh -e\necho\n"): "/bin/sh " + sh,
		made("self", "#!"+dir+"/self"):         strings.TrimSpace(strings.Repeat(dir+"/self ", maxInterpreters)),
		made("waits", "#!"+fifo):               fifo,
		made("nameless", "#! \n"):              "",
		made("empty", ""):                      "",
		made("magic", "\x7fELF\x02"):           "",
		made("short", string(elf[:80])):        "",
		made("odd", string(elf[:32])+strings.Repeat("\xff", 4096)): "",
		filepath.Join(dir, "none"):                                 "",
	} {
		done := make(chan string, 1)
		go func() { done <- strings.Join(interpreters(path), " ") }()
		select {
		case got := <-done:
			if got != want {
				t.Errorf("%s: %q, want %q", path, got, want)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("%s: it waits", path)
		}
	}
	for name, c := range map[string]struct {
		boxes []Sandbox
		path  string
		want  string
	}{
		"no sandbox":       {nil, "/bin/sh", ""},
		"the usual":        {[]Sandbox{{Read: readable}}, "sh", ""},
		"nothing":          {[]Sandbox{{}}, "sh", "it needs " + sh},
		"one of two":       {[]Sandbox{{Read: readable}, {Read: []string{dir}}}, "sh", "it needs " + sh},
		"a folder like it": {[]Sandbox{{Read: []string{"/us", "/li", "/lib6"}}}, "sh", "it needs " + sh},
		"an interpreter":   {[]Sandbox{{Read: readable}}, inner, "it needs " + dir + "/plain"},
		"written":          {[]Sandbox{{Read: readable, Write: []string{dir}}}, inner, ""},
		"not there":        {[]Sandbox{{}}, "no-such-program", ""},
		"no loader":        {[]Sandbox{{}}, dir + "/plain", ""},
	} {
		confined := confinement()
		confined.Sandboxes = c.boxes
		err := confined.CheckStart(c.path)
		var start *StartError
		if c.want == "" && err != nil || c.want != "" && (!errors.As(err, &start) || start.Kind != Unsupported || !strings.HasPrefix(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
