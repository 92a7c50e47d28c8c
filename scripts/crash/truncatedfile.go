//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"strings"
	"syscall"

	"oneshot/pkg/diag"
	"oneshot/pkg/runfile"
)

// A record is a whole run file, whose parts are opened.
type record struct {
	text  []byte
	ends  []int // behind each line
	log   *runfile.Log
	file  string // for the parts
	other string // the first line of another run of the same scenario
}

// newRecord reads the run file of the undisturbed run, and makes that run once more.
func (w *world) newRecord(ctx context.Context) (*record, error) {
	text, err := os.ReadFile(w.path("run.jsonl"))
	if err != nil {
		return nil, err
	}
	r := &record{text: text, file: w.dir + ".jsonl"}
	for i, b := range text {
		if b == '\n' {
			r.ends = append(r.ends, i+1)
		}
	}
	if r.log, err = runfile.Read(bytes.NewReader(text)); err != nil {
		return nil, err
	}
	if l, err := w.runFirst(ctx, ""); err != nil || l.exit != exitOK {
		return nil, errors.Join(err, fmt.Errorf("the undisturbed run: exit %d: %s", l.exit, l.stderr))
	}
	second, err := os.ReadFile(w.path("run.jsonl"))
	r.other = string(second)
	return r, err
}

// lineAt returns the number of the line in which a byte stands, from 1, and where it begins.
func (r *record) lineAt(at int) (number, begin int) {
	for i, end := range r.ends {
		if at < end {
			return i + 1, begin
		}
		begin = end
	}
	return len(r.ends) + 1, begin
}

// openRunFile opens a run file of that content, as a resume does.
func (r *record) openRunFile(text []byte) (log *runfile.Log, left []byte, err error) {
	if err := os.WriteFile(r.file, text, 0o600); err != nil {
		return nil, nil, err
	}
	syscall.ForkLock.RLock() // a program that is being started has the lock, too, until it is one
	defer syscall.ForkLock.RUnlock()
	w, log, err := runfile.Open(r.file)
	if err != nil {
		return nil, nil, err
	}
	if err := w.Close(); err != nil {
		return nil, nil, err
	}
	left, err = os.ReadFile(r.file)
	return log, left, err
}

// whyNotHolding says what is wrong with an opened file that is to hold the first n records and nothing else, or "".
func (r *record) whyNotHolding(n int, text []byte) string {
	log, left, err := r.openRunFile(text)
	switch {
	case n == 0 && isDamage(err, diag.RunSequence, 1, 0):
		return ""
	case err != nil:
		return err.Error()
	case len(log.Records) != n || !reflect.DeepEqual(log.Records, r.log.Records[:n]):
		return fmt.Sprintf("%d records, not %d", len(log.Records), n)
	case !bytes.Equal(left, r.text[:r.ends[n-1]]):
		return fmt.Sprintf("%d bytes are left, not %d", len(left), r.ends[n-1])
	}
	return ""
}

// whyNotRefused says what is wrong with a file that is to be refused with a place, or "".
func (r *record) whyNotRefused(code diag.Code, line, offset int, text []byte) string {
	if _, _, err := r.openRunFile(text); !isDamage(err, code, line, offset) {
		return fmt.Sprintf("%v, not %s at line %d (offset %d)", err, code, line, offset)
	}
	return ""
}

func isDamage(err error, code diag.Code, line, offset int) bool {
	var damage *runfile.DamageError
	return errors.As(err, &damage) && damage.Code == code && damage.Line == line && damage.Offset == int64(offset)
}

// tornTails are what can stand behind the last byte that was written, and hold no line feed.
func tornTails(chance *rand.Rand) []string {
	noise := make([]byte, 40)
	for i := range noise {
		noise[i] = byte(11 + chance.IntN(245))
	}
	return []string{"", "\x00\x00\x00\x00\x00\x00\x00", string(noise), strings.Repeat("\x00", 4096)}
}

// truncatedFiles opens each prefix of a run file, with each tail: what is whole of it counts, and nothing else.
// A state is the length of the prefix and the number of the tail; behind it comes one with a line feed, and
// one with a line feed and more.
func (s *sweep) truncatedFiles(ctx context.Context, w *world) error {
	r, err := w.newRecord(ctx)
	if err != nil {
		return err
	}
	tails := tornTails(s.rand(0))
	for cut := s.firstPlace() - 1; cut <= len(r.text); cut += s.bytes {
		prefix := r.text[:cut:cut]
		line, begin := r.lineAt(cut)
		whole := line - 1
		for i, tail := range tails {
			s.countOpened(w, r.whyNotHolding(whole, append(prefix, tail...)), cut, i+1)
		}
		ended := append(prefix, '\n')
		if cut < len(r.text) && r.text[cut] == '\n' {
			s.countOpened(w, r.whyNotHolding(whole+1, ended), cut, len(tails)+1)
			continue
		}
		s.countOpened(w, r.whyNotHolding(whole, ended), cut, len(tails)+1)
		s.countOpened(w, r.whyNotRefused(diag.RunDamaged, line, begin, append(ended, 'x')), cut, len(tails)+2)
	}
	return s.resumeEach(ctx, w, r)
}

// countOpened counts a file that was opened in this process.
func (s *sweep) countOpened(w *world, why string, at ...int) {
	switch {
	case !s.isWanted(at...):
		return
	case why == "":
		s.countState(w.way, w.sc.name, "", at, nil)
		return
	}
	s.countState(w.way, w.sc.name, "", at, []charge{{unexplained, why}})
}

// resumeEach lets the run go on from each number of records, in the world as it was before it.
func (s *sweep) resumeEach(ctx context.Context, w *world, r *record) error {
	for n := 0; n < len(r.ends); n += s.stride {
		at, end := w.initialSnapshot(), 0
		if n > 0 {
			end = r.ends[n-1]
		}
		if !s.isWanted(end, 0) {
			continue
		}
		at["run.jsonl"] = string(r.text[:end])
		if err := w.restoreSnapshot(at); err != nil {
			return err
		}
		l, err := w.resume(ctx, "")
		st := &runHistory{tools: true}
		if err := w.add(st, l, err); err != nil {
			return err
		}
		j, err := w.newJudgement(st)
		if err != nil {
			return err
		}
		j.checkRepeats()
		j.checkEnd()
		s.countState(w.way, w.sc.name, "", []int{end, 0}, j.charges)
	}
	return nil
}
