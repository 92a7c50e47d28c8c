//go:build unix

package main

import (
	"context"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"

	"oneshot/pkg/diag"
	"oneshot/pkg/runfile"
)

// bitFlips changes single bits of a run file. One in the middle is refused with its place; the last record
// may be taken for one that was not written whole, and is none then. A state is the byte, from 0, and the bit.
func (s *sweep) bitFlips(ctx context.Context, w *world) error {
	r, err := w.newRecord(ctx)
	if err != nil {
		return err
	}
	for at := s.firstPlace() - 1; at < len(r.text); at += s.bytes {
		line, begin := r.lineAt(at)
		for bit := range 8 {
			text := slices.Clone(r.text)
			text[at] ^= 1 << bit
			why := r.whyNotRefused(diag.RunDamaged, line, begin, text)
			if why != "" && line == len(r.ends) {
				why = r.whyNotHolding(line-1, text)
			}
			s.countOpened(w, why, at, bit)
		}
	}
	return nil
}

// An edit is a change of a run file that no crash leaves, and how it is refused.
type edit struct {
	name string
	text string
	code diag.Code
	line int
}

// edits returns the changes of a file: a record twice, one of another run, a newer version, a block of zeros.
func (r *record) edits() []edit {
	lines := strings.SplitAfter(string(r.text), "\n")
	lines = lines[:len(lines)-1]
	foreign := strings.SplitAfter(r.other, "\n")
	join := func(parts ...[]string) string { return strings.Join(slices.Concat(parts...), "") }
	var all []edit
	for n := 1; n < len(lines); n++ {
		all = append(all,
			edit{"a record twice", join(lines[:n], lines[n-1:]), diag.RunSequence, n + 1},
			edit{"a record of another run", join(lines[:n], foreign[n:n+1], lines[n:]), diag.RunSequence, n + 1},
			edit{"zeros", join(lines[:n], []string{strings.Repeat("\x00", 4096)}, lines[n:], lines[:1]), diag.RunDamaged, n + 1},
		)
	}
	for n := 1; n < len(lines)-1; n++ {
		all = append(all, edit{"a record that is missing", join(lines[:n], lines[n+1:]), diag.RunSequence, n + 1})
	}
	return append(all,
		edit{"the last record twice", join(lines, lines[len(lines)-1:]), diag.RunSequence, len(lines) + 1},
		edit{"a newer version", join([]string{withNewerVersion(lines[0])}, lines[1:]), diag.RunVersion, 1})
}

// withNewerVersion makes a first record one of the next version of the format.
func withNewerVersion(line string) string {
	body, _, _ := strings.Cut(line, `,"crc":"`)
	body = strings.Replace(body, fmt.Sprintf(`"version":%d`, runfile.Version), fmt.Sprintf(`"version":%d`, runfile.Version+1), 1)
	return fmt.Sprintf(`%s,"crc":"%08x"}`+"\n", body, crc32.Checksum([]byte(body), crc32.MakeTable(crc32.Castagnoli)))
}

// editedFiles opens what no crash leaves, here and with the program: it is refused with its place, and nothing
// is done. A state is the number of the edit, from 1.
func (s *sweep) editedFiles(ctx context.Context, w *world) error {
	r, err := w.newRecord(ctx)
	if err != nil {
		return err
	}
	begins := append([]int{0}, r.ends...)
	for i, e := range r.edits() {
		if !s.isWanted(i + 1) {
			continue
		}
		why := r.whyNotRefused(e.code, e.line, begins[e.line-1], []byte(e.text))
		if why == "" && i%s.stride == 0 {
			if why, err = w.whyNotRefused(ctx, e); err != nil {
				return err
			}
		}
		if why != "" {
			why = e.name + ": " + why
		}
		s.countOpened(w, why, i+1)
	}
	return nil
}

// whyNotRefused says how the program does not refuse an edit, or "".
func (w *world) whyNotRefused(ctx context.Context, e edit) (string, error) {
	at := w.initialSnapshot()
	at["run.jsonl"] = e.text
	if err := w.restoreSnapshot(at); err != nil {
		return "", err
	}
	l, err := w.resume(ctx, "")
	if err != nil {
		return "", err
	}
	after, err := w.takeSnapshot()
	if err != nil {
		return "", err
	}
	switch place := fmt.Sprintf("line %d ", e.line); {
	case l.exit != exitInput || !strings.Contains(l.stderr, place):
		return fmt.Sprintf("exit %d: %s", l.exit, l.stderr), nil
	case after["run.jsonl"] != e.text || len(parseEffects(after)) > 0:
		return "it was refused, and something was changed", nil
	}
	return "", nil
}
