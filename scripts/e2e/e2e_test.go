//go:build unix

package main

import (
	"os"
	"strings"
	"testing"
	"time"

	"oneshot/pkg/chat"
)

func TestParseStat(t *testing.T) {
	const line = "4242 (a (b) c) S 17 4240 4240 0 -1 4194560 100 0 0 0 150 50 0 0 20 0 8 0 1000 1 1\n"
	got, err := parseStat(line)
	want := Process{ID: 4242, Parent: 17, Group: 4240, State: "S", CPU: 2 * time.Second}
	if err != nil || got != want {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
	for _, bad := range []string{"", "1 (x", "1 (x) S", "x (x) S 1 1 1 1 1 1 1 1 1 1 1 1 1"} {
		if p, err := parseStat(bad); err == nil {
			t.Errorf("%q was read as %+v", bad, p)
		}
	}
}

func TestProcessesFindsThisOne(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("no /proc: ", err)
	}
	all, err := AllProcesses()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		if p.ID == os.Getpid() && p.Parent == os.Getppid() {
			return
		}
	}
	t.Errorf("this process is not among %d", len(all))
}

// TestScriptsAreThere checks that each script that a case names has replies: the
// model also replies to an unknown script, so a case with a misspelled one could
// pass for a wrong reason.
func TestScriptsAreThere(t *testing.T) {
	replies, err := os.ReadFile("replies.txtar")
	if err != nil {
		t.Fatal(err)
	}
	used, names := 0, map[string]bool{}
	for _, c := range Cases {
		if names[c.Name] {
			t.Errorf("two cases are called %s", c.Name)
		}
		names[c.Name] = true
		for _, text := range append(c.Args, c.Input) {
			_, rest, found := strings.Cut(text, "script: ")
			if !found {
				continue
			}
			used++
			if header := "\n-- " + strings.Fields(rest)[0] + ".1 "; !strings.Contains(string(replies), header) {
				t.Errorf("%s: no reply%s", c.Name, header)
			}
		}
	}
	if used == 0 {
		t.Error("no case names a script")
	}
}

func TestFaultsOfAnyRun(t *testing.T) {
	good := Outcome{Exit: exitOK, Stdout: "{}\n"}
	failed := Outcome{Exit: exitModel, Stderr: "oneshot: the model's reply was empty\n"}
	with := func(o Outcome, change func(*Outcome)) Outcome { change(&o); return o }
	tests := []struct {
		name   string
		want   int // exit code
		got    Outcome
		faults int
	}{
		{"good", exitOK, good, 0},
		{"failed as wanted", exitModel, failed, 0},
		{"another code", exitLimit, failed, 1},
		{"no document", exitOK, with(good, func(o *Outcome) { o.Stdout = "" }), 1},
		{"two documents", exitOK, with(good, func(o *Outcome) { o.Stdout = "{}\n{}\n" }), 1},
		{"no line break", exitOK, with(good, func(o *Outcome) { o.Stdout = "{}" }), 1},
		{"stdout on failure", exitModel, with(failed, func(o *Outcome) { o.Stdout = "{}\n" }), 1},
		{"silent failure", exitModel, with(failed, func(o *Outcome) { o.Stderr = "panic: oneshot: x" }), 1},
		{"too slow", exitOK, with(good, func(o *Outcome) { o.Took = time.Minute }), 1},
		{"a process left", exitOK, with(good, func(o *Outcome) { o.Left = []int{1} }), 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := Case{Exit: test.want, Within: time.Second}
			if got := faultsOfAnyRun(c, test.got); len(got) != test.faults {
				t.Errorf("%d faults, want %d: %v", len(got), test.faults, got)
			}
		})
	}
}

func TestSame(t *testing.T) {
	call := chat.Call{ID: "c1", Name: "search", Arguments: []byte(`{"a":1,"b":2}`)}
	good := chat.Response{Content: "x", Calls: []chat.Call{call}}
	turned := good
	turned.Calls = []chat.Call{{ID: "c2", Name: "search", Arguments: []byte(`{"b":2,"a":1}`)}}
	if err := compareResponses(good, turned, 1); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*chat.Response){
		"content":      func(r *chat.Response) { r.Content = "y" },
		"stop":         func(r *chat.Response) { r.Stop = chat.StopLength },
		"calls":        func(r *chat.Response) { r.Calls = nil },
		"no ID":        func(r *chat.Response) { r.Calls = []chat.Call{{Name: "search", Arguments: call.Arguments}} },
		"name":         func(r *chat.Response) { r.Calls = []chat.Call{{ID: "c1", Name: "read", Arguments: call.Arguments}} },
		"arguments":    func(r *chat.Response) { r.Calls = []chat.Call{{ID: "c1", Name: "search", Arguments: []byte(`{}`)}} },
		"no arguments": func(r *chat.Response) { r.Calls = []chat.Call{{ID: "c1", Name: "search"}} },
	} {
		other := good
		change(&other)
		if compareResponses(good, other, 1) == nil {
			t.Errorf("%s: two responses pass for the same", name)
		}
	}
}

func TestVerdictIsOneLine(t *testing.T) {
	v := Verdict{Name: "x", Want: 1, Err: faultsOfAnyRun(Case{}, Outcome{Exit: 3})[0]}
	if line := v.String(); strings.Contains(line, "\n") || !strings.Contains(line, "exit   0/1") {
		t.Errorf("got %q", line)
	}
}
