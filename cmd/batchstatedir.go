package cmd

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"oneshot/pkg/atomicfile"
	"oneshot/pkg/batch"
	"oneshot/pkg/failpoint"
	"oneshot/pkg/redact"
	"oneshot/pkg/runfile"
)

// The state directory of batches has a directory of run files for each batch, named by its ID, and for each output file a
// file in outputs, named by the digest of its path, which is locked while a batch writes the output and holds the ID of
// that batch. A batch whose output is gone starts anew under another ID.

// A batchState is the directory with the run files of a batch, and its output.
type batchState struct {
	batchPointer // of the output
	isDry        bool
	dir          string
	isKnown      bool   // the batch is continued
	emptied      string // the directory of an earlier batch whose output was emptied; "" without one
	pointer      *os.File
	path         string        // of the output; "" for stdout
	out          *batch.Output // nil until the file exists
	index        *os.File
}

// An outputLockedError reports that another batch writes the same output.
type outputLockedError struct{ path string }

func (e *outputLockedError) Error() string { return "-o " + e.path + ": another batch is writing it" }

// A batchLockedError reports that another command uses the runs of a batch.
type batchLockedError struct{ id string }

func (e *batchLockedError) Error() string { return "batch " + e.id + ": in use by another command" }

// openBatchState finds the batch of an output file, and locks both. Without a file, or with a missing one, the batch is new.
// A dry run only reads existing files.
func openBatchState(env Env, file string, isDry bool) (*batchState, error) {
	s := &batchState{isDry: isDry}
	find := makeStateDir
	if isDry {
		find = stateDir
	}
	dir, err := find(env, "batches")
	if err != nil {
		return nil, err
	}
	s.id = runfile.NewID(env.Now(), rand.Uint64())
	if file == "" {
		s.dir = filepath.Join(dir, s.id)
		return s, nil
	}
	to, err := resolveOutputFile("-o", file)
	if err != nil {
		return nil, err
	}
	if to.direct || isStdin(file) {
		return nil, usagef("omit -o to write to stdout", "-o %s: a batch needs a regular file, which it continues", file)
	}
	s.path = realPath(to.path)
	if err := s.lockPointer(dir); err != nil {
		return nil, errors.Join(err, s.close())
	}
	if _, err := os.Stat(s.path); err == nil {
		id := s.id
		if err := errors.Join(s.openOutput(), s.readPointer()); err != nil {
			return nil, errors.Join(err, s.close())
		}
		if s.hasLine && s.out.IsEmpty() {
			s.emptied = filepath.Join(dir, s.id)
			s.batchPointer, s.isKnown = batchPointer{id: id}, false
		}
	}
	s.dir = filepath.Join(dir, s.id)
	return s, nil
}

// lockPointer opens and locks the file that holds the ID of the batch of the output.
func (s *batchState) lockPointer(dir string) error {
	path := pointerPath(dir, s.path)
	if s.isDry {
		f, err := os.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return &inputError{err}
		}
		s.pointer = f
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return &outputError{fmt.Errorf("state directory: %w", err)}
	}
	for {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE|unix.O_NOFOLLOW, 0o600)
		if err != nil {
			return &outputError{err}
		}
		if err := atomicfile.Lock(f); err != nil {
			f.Close() // nothing was written to it
			return s.lockError(err)
		}
		if isNamed(f, path) {
			s.pointer = f
			return nil
		}
		f.Close() // deleted in between, with its batch or because it was empty
	}
}

// isNamed reports whether a path names an open file.
func isNamed(f *os.File, path string) bool {
	is, err := f.Stat()
	if err != nil {
		return false
	}
	named, err := os.Lstat(path)
	return err == nil && os.SameFile(is, named)
}

// pointerPath returns the file that holds the ID of the batch of an output.
func pointerPath(batches, output string) string {
	return filepath.Join(batches, "outputs", strings.TrimPrefix(digest(output), "sha256:"))
}

func (s *batchState) lockError(err error) error {
	switch {
	case errors.Is(err, atomicfile.ErrLocked):
		return &outputLockedError{s.path}
	case err != nil:
		return &outputError{fmt.Errorf("-o %s: %w", s.path, err)}
	}
	return nil
}

// openOutput opens and locks the output.
func (s *batchState) openOutput() (err error) {
	if s.isDry {
		if s.out, err = batch.OpenOutputReadOnly(s.path); err != nil {
			return &inputError{fmt.Errorf("-o: %w", err)}
		}
		return nil
	}
	s.out, err = batch.OpenOutput(s.path)
	return s.lockError(err)
}

// readPointer takes the ID of the batch that has written the output before.
func (s *batchState) readPointer() error {
	if s.pointer == nil {
		return nil
	}
	p, err := readBatchPointer(s.pointer)
	if err != nil {
		return &outputError{err}
	}
	if p.id != "" {
		s.batchPointer, s.isKnown = p, true
	}
	return nil
}

// batchOfOutput returns the ID of the batch that has written an output, or "".
func (s *batchState) batchOfOutput(path string) (string, error) {
	f, err := os.Open(pointerPath(filepath.Dir(s.dir), realPath(path)))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err != nil:
		return "", &inputError{err}
	}
	defer f.Close()
	p, err := readBatchPointer(f)
	return p.id, err
}

// A batchPointer is the content of the file about an output in the state directory.
type batchPointer struct {
	id      string   // of the batch, or "" if there is none
	hasLine bool     // a line of the batch is in the output
	copied  []string // the batches of the lines that --retry has copied to it

	isCopying bool // the latest --retry is unfinished: lines that it has not copied yet seem to be missing
}

// readBatchPointer reads an open pointer.
func readBatchPointer(f *os.File) (batchPointer, error) {
	text, err := io.ReadAll(io.NewSectionReader(f, 0, 1<<20))
	id, marks, isWhole := strings.Cut(string(text), "\n")
	if !isWhole || !isBatchID(id) {
		return batchPointer{}, err
	}
	p := batchPointer{id: id, hasLine: strings.Contains(marks, hasLineMark)}
	for mark := range strings.Lines(marks) {
		if strings.HasSuffix(mark, copyingMark) { // a torn mark may come before it
			p.isCopying = true
		}
		if _, ids, ok := strings.Cut(mark, copiedMark); ok && strings.HasSuffix(ids, "\n") {
			p.copied, p.isCopying = strings.Fields(ids), false
		}
	}
	return p, err
}

// hasLineMark follows the ID in a pointer once a line of the batch is in the output. If the output is empty nevertheless,
// somebody has emptied it.
const hasLineMark = "has a line\n"

// copyingMark is added to a pointer when --retry begins to copy lines. Once every record has a line, a line is added that
// begins with copiedMark and lists the batches of the copied lines. In between, the output may lack lines that are still to be
// copied, whose records must not be run again.
const (
	copyingMark = "lines are copied\n"
	copiedMark  = "has the lines of "
)

// markCopying notes that --retry copies lines, so that the batch cannot be continued without --retry.
func (s *batchState) markCopying() error {
	if s.pointer == nil || s.isCopying {
		return nil
	}
	s.isCopying = true
	return s.addToPointer("mark of copying", copyingMark)
}

// markCopied notes the batches whose lines --retry has copied, so that the batch can be continued without --retry.
func (s *batchState) markCopied(batches []string) error {
	if s.pointer == nil || !s.isCopying {
		return nil
	}
	s.copied = append(s.copied, batches...)
	slices.Sort(s.copied)
	s.copied, s.isCopying = slices.Compact(s.copied), false
	return s.addToPointer("mark of the copied lines", copiedMark+strings.Join(s.copied, " ")+"\n")
}

// hasCopied reports whether an earlier --retry copied the line of a run. While the latest --retry is unfinished, it returns
// true only for another --retry, which copies the rest.
func (s *batchState) hasCopied(run string, isRetry bool) bool {
	return slices.Contains(s.copied, batchOfRun(run)) && (isRetry || !s.isCopying)
}

// appendLine appends a line to the output, and notes the first one in the pointer.
func (s *batchState) appendLine(line []byte) error {
	if err := s.out.Append(line); err != nil || s.hasLine {
		return err
	}
	s.hasLine = true
	return s.addToPointer("mark of the first line", hasLineMark)
}

// addToPointer appends to the pointer, durably.
func (s *batchState) addToPointer(what, text string) error {
	if _, err := failpoint.Write("write of the "+what, s.pointer, []byte(text)); err != nil {
		return err
	}
	return failpoint.Around("fsync of the "+what, s.pointer.Sync)
}

// begin creates the directory of the batch, its index and, last, its output, so that each output has the others. It prepares an
// existing output for further lines.
func (s *batchState) begin(env Env, plan string) error {
	err := s.makeIndex(env, plan)
	switch {
	case errors.Is(err, atomicfile.ErrLocked):
		return &batchLockedError{s.id}
	case err != nil:
		return &outputError{fmt.Errorf("state of the batch: %w", err)}
	}
	switch {
	case s.path == "":
		return nil
	case s.out == nil:
		return s.openOutput()
	}
	return s.repairOutput()
}

// repairOutput prepares an existing output for further lines.
func (s *batchState) repairOutput() error {
	if err := s.out.Repair(); err != nil {
		return &outputError{fmt.Errorf("-o: %w", err)}
	}
	return nil
}

// An indexHead is the first line of INDEX.jsonl.
type indexHead struct {
	Batch   string    `json:"batch"`
	Output  string    `json:"output,omitempty"`
	Plan    string    `json:"plan"`
	Started time.Time `json:"started"`
}

// An indexLine is a further line of INDEX.jsonl: a run that has begun. Runs are found by their names and not by this file,
// which lists them for people.
type indexLine struct {
	ID    string `json:"id"` // of the record
	Index int    `json:"index"`
	RunID string `json:"run_id"`
}

const indexName = "INDEX.jsonl"

// makeIndex opens the index of the batch, and creates missing files.
func (s *batchState) makeIndex(env Env, plan string) error {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return err
	}
	name := filepath.Join(s.dir, indexName)
	_, err := os.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		head, jsonErr := json.Marshal(indexHead{s.id, s.path, plan, env.Now()})
		if jsonErr != nil {
			return jsonErr
		}
		err = errors.Join(atomicfile.Replace(name, append(head, '\n'), 0o600, "the index of a batch"),
			atomicfile.SyncDir(filepath.Dir(s.dir), "the directory of batches"))
	}
	if err != nil {
		return err
	}
	if s.index, err = openLockedIndex(s.dir); err != nil {
		return err
	}
	if err := endLine(s.index); err != nil || s.path == "" || s.isKnown {
		return err
	}
	if err := s.pointer.Truncate(0); err != nil {
		return err
	}
	if err := s.addToPointer("ID of a batch", s.id+"\n"); err != nil {
		return err
	}
	return atomicfile.SyncDir(filepath.Dir(s.pointer.Name()), "the directory of the outputs of batches")
}

// openLockedIndex opens and locks the index of a batch. The error wraps [atomicfile.ErrLocked] if another command has locked it.
func openLockedIndex(dir string) (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(dir, indexName), os.O_RDWR|os.O_APPEND|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	if err := failpoint.Around("lock of the index of a batch", func() error { return atomicfile.Lock(f) }); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// endLine ends a torn last line of a file.
func endLine(f *os.File) error {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return err
	}
	last := make([]byte, 1)
	if _, err := f.ReadAt(last, info.Size()-1); err != nil || last[0] == '\n' {
		return err
	}
	_, err = failpoint.Write("write of the index of a batch", f, []byte("\n"))
	return err
}

// plan returns the digest of the plan of a batch that is continued, or "".
func (s *batchState) plan() (string, error) {
	head, err := readIndexHead(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	return head.Plan, err
}

// readIndexHead reads the first line of the index of a batch.
func readIndexHead(dir string) (head indexHead, err error) {
	f, err := os.Open(filepath.Join(dir, indexName))
	if err != nil {
		return head, &inputError{err}
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, 64<<10))
	if err != nil {
		return head, &inputError{err}
	}
	line, _, _ := bytes.Cut(text, []byte("\n"))
	if err := json.Unmarshal(line, &head); err != nil {
		return head, &inputError{fmt.Errorf("%s:1: %w", f.Name(), err)}
	}
	return head, nil
}

// hasIndex reports whether the batch is on record.
func (s *batchState) hasIndex() bool {
	_, err := os.Stat(filepath.Join(s.dir, indexName))
	return err == nil
}

// runID returns the ID of the run for a record.
func (s *batchState) runID(record string) string { return batchRunID(s.id, record) }

// batchRunID returns the ID of the run for a record in a batch.
func batchRunID(id, record string) string {
	key := keyOfID(record)
	return id + "-" + hex.EncodeToString(key[:])
}

// keyOfRun returns the key of the record that a run is about. It reports false for the ID of a single run.
func keyOfRun(id string) (key recordKey, ok bool) {
	digits, err := hex.DecodeString(id[strings.LastIndexByte(id, '-')+1:])
	if err != nil || len(digits) != len(key) {
		return key, false
	}
	return recordKey(digits), true
}

// owns reports whether a run is of this batch.
func (s *batchState) owns(run string) bool { return batchOfRun(run) == s.id }

// batchOfRun returns the ID of the batch of a run, or "" if the ID is that of a single run.
func batchOfRun(id string) string {
	if _, ok := keyOfRun(id); !ok {
		return ""
	}
	return id[:max(0, strings.LastIndexByte(id, '-'))]
}

// runPath returns the run file for a record.
func (s *batchState) runPath(record string) string { return runPathIn(s.dir, record) }

// runPathIn returns the run file for a record in the directory of a batch.
func runPathIn(dir, record string) string {
	return filepath.Join(dir, batchRunID(filepath.Base(dir), record)+".jsonl")
}

// indexRun lists a run that begins, with the secrets masked in the ID of its record.
func (s *batchState) indexRun(r batch.Record, secrets *redact.Set) error {
	line, err := json.Marshal(indexLine{secrets.Hide(r.ID), r.Index, s.runID(r.ID)})
	if err != nil {
		return err
	}
	if _, err := failpoint.Write("write of the index of a batch", s.index, append(line, '\n')); err != nil {
		return &outputError{fmt.Errorf("state of the batch: %w", err)}
	}
	return nil
}

// checkUnchanged refuses a record whose run has begun with another text, and reports whether its run has begun.
func (s *batchState) checkUnchanged(r batch.Record, input string) (hasBegun bool, err error) {
	if !s.isKnown {
		return false, nil
	}
	begun, err := readRunOf(s.runPath(r.ID))
	if err != nil || begun == nil || begun.Input == r.Digest {
		return begun != nil, err
	}
	return true, usagef("restore the record, or write to another file", "%s:%d: the record %q has changed since its run began", input, r.Line, r.ID)
}

// readRunOf returns the batch record of a run file, or nil if the file is missing or its first record is incomplete.
func readRunOf(path string) (*runfile.BatchRecord, error) {
	log, err := readFirstRecord(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	}
	run, ok := log.Run()
	switch {
	case !ok:
		return nil, nil // killed before its first record was complete
	case run.Batch == nil:
		return nil, &inputError{fmt.Errorf("%s is not the record of a batch", path)}
	}
	return run.Batch, nil
}

// hasIntent reports whether a run file has the record of an intent: the run has begun to change something. A missing file has
// none.
func hasIntent(path string) (bool, error) {
	f, err := os.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, &inputError{err}
	}
	defer f.Close()
	scan := runfile.NewScanner(f)
	for r := range scan.Records() {
		if r.Kind == runfile.KindIntent {
			return true, nil
		}
	}
	return false, scan.Err
}

// close releases the locks.
func (s *batchState) close() error {
	var errs []error
	if s.out != nil {
		errs = append(errs, s.out.Close())
	}
	if s.index != nil {
		errs = append(errs, s.index.Close())
	}
	if s.pointer != nil {
		s.removeEmptyPointer()
		errs = append(errs, s.pointer.Close())
	}
	return errors.Join(errs...)
}

// removeEmptyPointer removes the pointer of a batch that was refused before it began, while the pointer is locked.
func (s *batchState) removeEmptyPointer() {
	if info, err := s.pointer.Stat(); err == nil && info.Size() == 0 && !s.isDry {
		_ = os.Remove(s.pointer.Name()) // an empty pointer that remains is ignored
	}
}
