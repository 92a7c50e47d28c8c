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

// An intactFile is a complete run file, whose parts are opened.
type intactFile struct {
	text  []byte
	ends  []int // the offset after each line
	log   *runfile.Log
	file  string // the file to which parts are written
	other string // the first line of another run of the same scenario
}

// newIntactFile reads the run file of the undisturbed run, and runs the scenario once more.
func (w *workspace) newIntactFile(ctx context.Context) (*intactFile, error) {
	text, err := os.ReadFile(w.path("run.jsonl"))
	if err != nil {
		return nil, err
	}
	r := &intactFile{text: text, file: w.dir + ".jsonl"}
	for i, b := range text {
		if b == '\n' {
			r.ends = append(r.ends, i+1)
		}
	}
	if r.log, err = runfile.Read(bytes.NewReader(text)); err != nil {
		return nil, err
	}
	if l, err := w.runFromStart(ctx, ""); err != nil || l.exit != exitOK {
		return nil, errors.Join(err, fmt.Errorf("the undisturbed run: exit %d: %s", l.exit, l.stderr))
	}
	second, err := os.ReadFile(w.path("run.jsonl"))
	r.other = string(second)
	return r, err
}

// lineAt returns the number, from 1, and the start of the line that contains a byte.
func (r *intactFile) lineAt(at int) (number, begin int) {
	for i, end := range r.ends {
		if at < end {
			return i + 1, begin
		}
		begin = end
	}
	return len(r.ends) + 1, begin
}

// openWithContent opens a run file with that content, as a resume does.
func (r *intactFile) openWithContent(text []byte) (log *runfile.Log, left []byte, err error) {
	if err := os.WriteFile(r.file, text, 0o600); err != nil {
		return nil, nil, err
	}
	syscall.ForkLock.RLock() // a child being started holds the lock too, until its exec
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

// wrongContentReason returns the fault of an opened file that should hold exactly the first n records, or "".
func (r *intactFile) wrongContentReason(n int, text []byte) string {
	log, left, err := r.openWithContent(text)
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

// whyNotRefused returns the fault of opening a file that should be refused with a position, or "".
func (r *intactFile) whyNotRefused(code diag.Code, line, offset int, text []byte) string {
	if _, _, err := r.openWithContent(text); !isDamage(err, code, line, offset) {
		return fmt.Sprintf("%v, not %s at line %d (offset %d)", err, code, line, offset)
	}
	return ""
}

func isDamage(err error, code diag.Code, line, offset int) bool {
	var damage *runfile.DamageError
	return errors.As(err, &damage) && damage.Code == code && damage.Line == line && damage.Offset == int64(offset)
}

// tornTails returns possible contents after the last written byte, without a line feed.
func tornTails(chance *rand.Rand) []string {
	noise := make([]byte, 40)
	for i := range noise {
		noise[i] = byte(11 + chance.IntN(245))
	}
	return []string{"", "\x00\x00\x00\x00\x00\x00\x00", string(noise), strings.Repeat("\x00", 4096)}
}

// tryTruncatedFiles opens each prefix of a run file, with each tail: exactly its whole records count. A state is
// the length of the prefix and the number of the tail; the tails are followed by one with a line feed, and one with
// more after it.
func (s *sweep) tryTruncatedFiles(ctx context.Context, w *workspace) error {
	r, err := w.newIntactFile(ctx)
	if err != nil {
		return err
	}
	tails := tornTails(s.newRand(0))
	for cut := s.firstFailpoint() - 1; cut <= len(r.text); cut += s.bytes {
		prefix := r.text[:cut:cut]
		line, begin := r.lineAt(cut)
		whole := line - 1
		for i, tail := range tails {
			s.countCheckedFile(w, r.wrongContentReason(whole, append(prefix, tail...)), cut, i+1)
		}
		ended := append(prefix, '\n')
		if cut < len(r.text) && r.text[cut] == '\n' {
			s.countCheckedFile(w, r.wrongContentReason(whole+1, ended), cut, len(tails)+1)
			continue
		}
		s.countCheckedFile(w, r.wrongContentReason(whole, ended), cut, len(tails)+1)
		s.countCheckedFile(w, r.whyNotRefused(diag.RunDamaged, line, begin, append(ended, 'x')), cut, len(tails)+2)
	}
	return s.resumeFromEachRecord(ctx, w, r)
}

// countCheckedFile counts a file opened in this process.
func (s *sweep) countCheckedFile(w *workspace, why string, at ...int) {
	switch {
	case !s.isStateChosen(at...):
		return
	case why == "":
		s.countState(w.way, w.sc.name, "", at, nil)
		return
	}
	s.countState(w.way, w.sc.name, "", at, []violation{{unexplained, why}})
}

// resumeFromEachRecord resumes the run from each number of records, with the rest of the folder as it was.
func (s *sweep) resumeFromEachRecord(ctx context.Context, w *workspace, r *intactFile) error {
	for n := 0; n < len(r.ends); n += s.stride {
		at, end := w.initialSnapshot(), 0
		if n > 0 {
			end = r.ends[n-1]
		}
		if !s.isStateChosen(end, 0) {
			continue
		}
		at["run.jsonl"] = string(r.text[:end])
		if err := w.restoreSnapshot(at); err != nil {
			return err
		}
		l, err := w.resume(ctx, "")
		st := &runHistory{tools: true}
		if err := w.addLeg(st, l, err); err != nil {
			return err
		}
		j, err := w.newJudgement(st)
		if err != nil {
			return err
		}
		j.checkEffectsOnce()
		j.checkEnd()
		s.countState(w.way, w.sc.name, "", []int{end, 0}, j.violations)
	}
	return nil
}
