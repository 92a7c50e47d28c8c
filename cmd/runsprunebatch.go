package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"oneshot/pkg/atomicfile"
	"oneshot/pkg/batch"
)

// pruneBatch deletes the old runs of a batch that is not under way, and with the last one its directory. It keeps the files
// that the batch needs to continue: its index, and the runs without a line, whose effects would otherwise be repeated.
func (o *pruneOptions) pruneBatch(dir string) (gone []string, err error) {
	index, err := openLockedIndex(dir)
	switch {
	case errors.Is(err, atomicfile.ErrLocked):
		return nil, nil
	case errors.Is(err, fs.ErrNotExist): // killed before its first run, or deleted by another process
		return nil, o.removeOld(dir)
	}
	var delivered map[string]bool
	var lost string
	if err == nil {
		if o.dryRun { // a batch can begin meanwhile
			index.Close()
		} else {
			defer index.Close() // nothing was written to it
		}
		delivered, lost, err = runsInBatchOutput(dir)
	}
	if err != nil {
		o.console.note("%s kept: %v", filepath.Base(dir), err)
		return nil, nil
	}
	paths, err := runFilesIn(dir)
	if err != nil {
		return nil, err
	}
	if lost != "" && !o.dryRun && o.removesAny(index.Name(), paths) { // first of all, because a deletion can be cut off
		if err := forgetOutput(dir, lost); err != nil {
			o.console.note("%s kept: %v", filepath.Base(dir), err)
			return nil, nil
		}
	}
	var failed []error
	for _, path := range paths {
		if delivered != nil && !delivered[strings.TrimSuffix(filepath.Base(path), ".jsonl")] {
			continue
		}
		removed, err := o.pruneRecord(path)
		if failed = append(failed, err); removed {
			gone = append(gone, path)
		}
	}
	if delivered == nil && len(gone) == len(paths) {
		failed = append(failed, o.removeOld(index.Name(), dir))
	}
	return gone, errors.Join(failed...)
}

// removeOld removes files and then their directory, if the first one is old enough. A directory that is not empty stays.
func (o *pruneOptions) removeOld(paths ...string) error {
	if o.dryRun || !o.isOld(paths[0]) {
		return nil
	}
	for _, path := range paths {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrExist) {
			return &outputError{err}
		}
	}
	return nil
}

// isOld reports whether a file was not written for long enough.
func (o *pruneOptions) isOld(path string) bool {
	info, err := os.Stat(path)
	return err == nil && o.env.Now().Sub(info.ModTime()) >= time.Duration(o.older)
}

// removesAny reports whether a part of a batch that cannot be continued is about to be deleted: one of its runs, or its index
// if it has none.
func (o *pruneOptions) removesAny(index string, runs []string) bool {
	if len(runs) == 0 {
		return o.isOld(index)
	}
	return slices.ContainsFunc(runs, func(path string) bool {
		expired, err := o.canRemove(path)
		return err == nil && expired
	})
}

// runsInBatchOutput returns the IDs of the runs with a line in the output of a batch. They are nil if the batch cannot be
// continued: it has no output, or a later batch has written it, or it is gone. If it is gone, lost is its path: the batch could
// continue if it came back.
func runsInBatchOutput(dir string) (delivered map[string]bool, lost string, err error) {
	head, err := readIndexHead(dir)
	if err != nil || head.Output == "" {
		return nil, "", err
	}
	pointer, err := openMatchingPointer(dir, head.Output)
	if pointer == nil {
		return nil, "", err
	}
	defer pointer.Close()
	out, err := os.Open(head.Output)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, head.Output, nil
	case err != nil:
		return nil, "", err
	}
	defer out.Close()
	delivered = map[string]bool{}
	_, _, err = batch.ReadLines(out, head.Output, func(l batch.OutputLine, _ int, _ int64) error {
		delivered[l.RunID] = true
		return nil
	})
	return delivered, "", err
}

// openMatchingPointer opens the pointer of an output, or returns nil if it does not name the batch of a directory.
func openMatchingPointer(dir, output string) (*os.File, error) {
	f, err := os.Open(pointerPath(filepath.Dir(dir), output))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if p, err := readBatchPointer(f); err != nil || p.id != filepath.Base(dir) {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// forgetOutput removes the pointer to a batch whose output is missing. Otherwise, if the output came back, the batch would
// continue without its deleted runs.
func forgetOutput(dir, output string) error {
	pointer, err := openMatchingPointer(dir, output)
	if pointer == nil { // a later batch has written the output in between
		return err
	}
	defer pointer.Close()
	err = atomicfile.Lock(pointer)
	if err == nil && isNamed(pointer, pointer.Name()) {
		_, err = os.Lstat(output)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.Join(os.Remove(pointer.Name()), atomicfile.SyncDir(filepath.Dir(pointer.Name()), "the directory of the outputs of batches"))
	case err == nil:
		err = errors.New("another batch has just written it")
	}
	return fmt.Errorf("%s: %w", output, err)
}
