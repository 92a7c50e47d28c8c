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

// tryBitFlips flips single bits of a run file. A flip in the middle is refused with its position; one in the last
// record may make it an incomplete record, which does not count. A state is the offset of the byte and the number
// of the bit, from 0.
func (s *sweep) tryBitFlips(ctx context.Context, w *workspace) error {
	r, err := w.newIntactFile(ctx)
	if err != nil {
		return err
	}
	for at := s.firstFailpoint() - 1; at < len(r.text); at += s.bytes {
		line, begin := r.lineAt(at)
		for bit := range 8 {
			text := slices.Clone(r.text)
			text[at] ^= 1 << bit
			why := r.whyNotRefused(diag.RunDamaged, line, begin, text)
			if why != "" && line == len(r.ends) {
				why = r.wrongContentReason(line-1, text)
			}
			s.countCheckedFile(w, why, at, bit)
		}
	}
	return nil
}

// A fileEdit is an edit of a run file that no crash causes, and how it is refused.
type fileEdit struct {
	name string
	text string
	code diag.Code
	line int
}

// edits returns the edits of a file: a duplicate record, a record of another run, a newer version, a block of
// zeros.
func (r *intactFile) edits() []fileEdit {
	lines := strings.SplitAfter(string(r.text), "\n")
	lines = lines[:len(lines)-1]
	foreign := strings.SplitAfter(r.other, "\n")
	join := func(parts ...[]string) string { return strings.Join(slices.Concat(parts...), "") }
	var all []fileEdit
	for n := 1; n < len(lines); n++ {
		all = append(all,
			fileEdit{"a record twice", join(lines[:n], lines[n-1:]), diag.RunSequence, n + 1},
			fileEdit{"a record of another run", join(lines[:n], foreign[n:n+1], lines[n:]), diag.RunSequence, n + 1},
			fileEdit{"zeros", join(lines[:n], []string{strings.Repeat("\x00", 4096)}, lines[n:], lines[:1]), diag.RunDamaged, n + 1},
		)
	}
	for n := 1; n < len(lines)-1; n++ {
		all = append(all, fileEdit{"a record that is missing", join(lines[:n], lines[n+1:]), diag.RunSequence, n + 1})
	}
	return append(all,
		fileEdit{"the last record twice", join(lines, lines[len(lines)-1:]), diag.RunSequence, len(lines) + 1},
		fileEdit{"a newer version", join([]string{withNewerVersion(lines[0])}, lines[1:]), diag.RunVersion, 1})
}

// withNewerVersion returns a first record with the next version of the format.
func withNewerVersion(line string) string {
	body, _, _ := strings.Cut(line, `,"crc":"`)
	body = strings.Replace(body, fmt.Sprintf(`"version":%d`, runfile.Version), fmt.Sprintf(`"version":%d`, runfile.Version+1), 1)
	return fmt.Sprintf(`%s,"crc":"%08x"}`+"\n", body, crc32.Checksum([]byte(body), crc32.MakeTable(crc32.Castagnoli)))
}

// tryEditedRunFiles opens edited files, in this process and with the program: each is refused with its position, and
// nothing is executed. A state is the number of the edit, from 1.
func (s *sweep) tryEditedRunFiles(ctx context.Context, w *workspace) error {
	r, err := w.newIntactFile(ctx)
	if err != nil {
		return err
	}
	begins := append([]int{0}, r.ends...)
	for i, e := range r.edits() {
		if !s.isStateChosen(i + 1) {
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
		s.countCheckedFile(w, why, i+1)
	}
	return nil
}

// whyNotRefused returns how the program fails to refuse an edit, or "".
func (w *workspace) whyNotRefused(ctx context.Context, e fileEdit) (string, error) {
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
