//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"oneshot/pkg/chat"
	"oneshot/pkg/failpoint"
	"oneshot/pkg/runfile"
	"oneshot/scripts/modelserver"
)

// builtSweep returns a short sweep whose program is built.
func builtSweep(t *testing.T) *sweep {
	if testing.Short() {
		t.Skip("builds and kills the program")
	}
	t.Chdir("../..")
	dir, err := os.MkdirTemp(memoryFolder(), "oneshot-crash-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	s := newSweep(io.Discard)
	s.dir = dir
	s.useShortSettings()
	if err := s.build(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestNamesAreDurable checks that the name of the file that links an output to its batch is durable before
// the first run of the batch.
func TestNamesAreDurable(t *testing.T) {
	s := builtSweep(t)
	w := newWorkspace(filepath.Join(s.dir, "batch"), s.program, oneAtATime(s))
	t.Cleanup(w.model.Close)
	const want = "before fsync of the directory of the outputs of batches"
	for n := 1; ; n++ {
		l, err := w.runFromStart(t.Context(), fmt.Sprintf("%s %d", failpoint.Error, n))
		if err != nil {
			t.Fatal(err)
		}
		if l.place == want {
			return
		}
		if l.place == "" || strings.Contains(l.place, failpoint.WriteRun) {
			t.Fatalf("no %q before point %d, %q", want, n, l.place)
		}
	}
}

// TestSweep runs a part of the sweep, which must find no violation.
func TestSweep(t *testing.T) {
	s := builtSweep(t)
	var table strings.Builder
	err := s.tryAndPrint(t.Context(), disturbances(), "", &table)
	if err != nil {
		t.Error(err)
	}
	t.Log("\n" + table.String())
	for _, w := range disturbances() {
		if way := s.tallies[w.id]; way.states == 0 && !way.isSkipped {
			t.Errorf("%s: no state was tried", w.id)
		}
	}
}

// TestViolation checks that a violation is counted, and printed with the command that reproduces it.
func TestViolation(t *testing.T) {
	s := newSweep(io.Discard)
	s.tallies["kill"] = &tally{violations: map[violationKind]int{}}
	s.countState("kill", "plain", "; before a write", []int{3, 4}, []violation{{repeated, "twice"}})
	var b strings.Builder
	if err := s.print(&b, []disturbance{{id: "kill", what: "x"}}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| kill: x | 1 | 1 | 0 |", "plain; before a write", "-seed 1 -only kill -scenario 'plain' -at 3,4"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}

const theAnswer = `{"answer":"x"}` + "\n"

// courtWorld returns the folder of a run with one call of each program. Its run file has the records
// up to the intent of the first call, followed by more.
func courtWorld(t *testing.T, effects string, more ...runfile.Body) *workspace {
	t.Helper()
	sc := &scenario{name: "court", dialect: "tool", api: modelserver.Ollama, turns: [][]call{{unkeyedCall("one"), keyedCall("two")}}}
	sc.deriveFields()
	w := newWorkspace(filepath.Join(t.TempDir(), "w"), "", sc)
	w.whole = theAnswer
	t.Cleanup(w.model.Close)
	at := w.initialSnapshot()
	at["work/effects.log"] = effects
	if err := w.restoreSnapshot(at); err != nil {
		t.Fatal(err)
	}
	log, err := runfile.Create(w.path("run.jsonl"), runfile.Run{ID: "x"})
	if err != nil {
		t.Fatal(err)
	}
	all := append([]runfile.Body{
		runfile.Request{Turn: 1, Purpose: "work"}, runfile.Response{Turn: 1},
		runfile.Call{Turn: 1, ID: "c1", Name: "send_plain", Verdict: "allow"}, runfile.Intent{Call: "c1"},
	}, more...)
	for _, b := range all {
		err = errors.Join(err, log.Append(b))
	}
	if err := errors.Join(err, log.Close()); err != nil {
		t.Fatal(err)
	}
	return w
}

// TestJudge checks that each kind of violation is found, and no other one with it.
func TestJudge(t *testing.T) {
	done := runfile.Result{Call: "c1", Result: chat.Result{Data: []byte(`1`)}}
	ok := leg{stdout: theAnswer, file: fileBefore}
	again := leg{exit: exitUsage, stderr: "the run has already finished", file: fileBefore}
	killed := leg{exit: -1, file: fileBefore}
	unknown := leg{exit: exitUnknown, stderr: "cut off during call c1 of send_plain", file: fileBefore}
	putCall := runfile.Call{Turn: 1, ID: "p", Name: "file_put", Verdict: "allow", Effective: []byte(`{"path":"text.md","content":"apples\n"}`)}
	putDone := runfile.Result{Call: "p", Result: chat.Result{Data: []byte(`1`)}}
	asBefore := runfile.BeforeImage{State: chat.FilePresent, Bytes: int64(len(textBefore)), SHA256: digest(textBefore), Text: textBefore}
	const both = "none one 1\nk two 1\n"
	tests := []struct {
		name    string
		effects string
		more    []runfile.Body
		legs    []leg
		done    string
		want    []violationKind
	}{
		{"a good end", both, []runfile.Body{done}, []leg{killed, ok, again}, "c1", nil},
		{"a key that is used again", both + "k two 1\n", []runfile.Body{done}, []leg{ok, again}, "c1", nil},
		{"a change twice", both + "none one 2\n", []runfile.Body{done}, []leg{ok, again}, "c1", []violationKind{repeated}},
		{"another key", both + "j two 2\n", []runfile.Body{done}, []leg{ok, again}, "c1", []violationKind{repeated}},
		{"no key", "none one 1\nnone two 1\nnone two 1\n", []runfile.Body{done}, []leg{ok, again}, "c1", []violationKind{repeated}},
		{"an open call", "none one 1\n", nil, []leg{killed, unknown}, "", nil},
		{"a call that is not named", "none one 1\n", nil, []leg{killed, {exit: exitUnknown, stderr: "hm", file: fileBefore}}, "", []violationKind{unexplained}},
		{"a call that is not open", both, []runfile.Body{done}, []leg{killed, unknown}, "", []violationKind{unexplained}},
		{"another answer", both, []runfile.Body{done}, []leg{{stdout: "{}\n", file: fileBefore}, again}, "", []violationKind{unexplained}},
		{"another exit", both, []runfile.Body{done}, []leg{killed, {exit: exitInput, stderr: "bad", file: fileBefore}}, "", []violationKind{unexplained}},
		{"not begun, and it was", both, []runfile.Body{done}, []leg{killed, {exit: exitInput, stderr: "run file run.jsonl not found", file: fileBefore}}, "", []violationKind{unexplained}},
		{"answered, and never said", both, []runfile.Body{done}, []leg{killed, again}, "", []violationKind{unexplained}},
		{"twice a success", both, []runfile.Body{done}, []leg{ok, ok}, "", []violationKind{twice}},
		{"a result that is gone", both, nil, []leg{killed, unknown}, "c1", []violationKind{lost}},
		{"a step that is missing", "none one 1\n", []runfile.Body{done}, []leg{ok, again}, "c1", []violationKind{lost}},
		{"success in spite of a fault", both, []runfile.Body{done}, []leg{{stdout: theAnswer, file: fileBefore, place: "before fsync of the run file"}, again}, "", []violationKind{unfit}},
		{"half a file", both, []runfile.Body{done}, []leg{{exit: -1, file: `{"ans`}, ok, again}, "", []violationKind{unfit}},
		{"a file that was another one before", both, []runfile.Body{done, putCall, runfile.Intent{Call: "p", Before: &runfile.BeforeImage{State: chat.FileMissing}}, putDone}, []leg{ok, again}, "c1", []violationKind{unfit}},
		{"a file as it was before", both, []runfile.Body{done, putCall, runfile.Intent{Call: "p", Before: &asBefore}, putDone}, []leg{ok, again}, "c1", nil},
		{"records out of order", both, []runfile.Body{done, done}, []leg{ok, again}, "", []violationKind{unfit}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			w := courtWorld(t, test.effects, test.more...)
			st := &runHistory{legs: test.legs, done: map[string]bool{}}
			if test.done != "" {
				st.done[test.done] = true
			}
			found, err := w.findViolations(st)
			if err != nil {
				t.Fatal(err)
			}
			var got []violationKind
			for _, c := range found {
				if !slices.Contains(got, c.kind) {
					got = append(got, c.kind)
				}
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("%v, want %v", found, test.want)
			}
		})
	}
}

// TestSkippedIsSaid checks that the reason for skipped disturbances is printed once.
func TestSkippedIsSaid(t *testing.T) {
	s := newSweep(io.Discard)
	for _, way := range []string{"strace", "strace", "amid"} {
		s.tallies[way] = &tally{}
		s.noteSkipped(way, "strace: %s", "there is none")
	}
	var b strings.Builder
	if err := s.print(&b, nil); err != nil || strings.Count(b.String(), "skipped: strace: there is none") != 1 {
		t.Errorf("%v\n%s", err, b.String())
	}
	if err := s.run(context.Background(), disturbances(), "nothing"); err == nil {
		t.Error("a scenario that there is not is tried")
	}
}

// TestNothingTried checks that a sweep fails if it has tried no state.
func TestNothingTried(t *testing.T) {
	s := newSweep(io.Discard)
	way := disturbance{id: "none"}
	s.tallies[way.id] = &tally{}
	if err := s.verdict([]disturbance{way}); err == nil {
		t.Error("a sweep without a state passes")
	}
	s.tallies[way.id].states = 1
	if err := s.verdict([]disturbance{way}); err != nil {
		t.Error(err)
	}
}
