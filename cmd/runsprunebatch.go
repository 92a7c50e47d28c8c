package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"oneshot/pkg/atomicfile"
	"oneshot/pkg/batch"
)

// pruneBatch deletes the old runs of a batch that is not under way, and with the last one its directory. It keeps what the
// batch needs to continue: its index, and the runs without a line, which would be made again and repeat their effects.
func (o *pruneOptions) pruneBatch(dir string) (gone []string, err error) {
	index, err := openIndex(dir)
	switch {
	case errors.Is(err, atomicfile.ErrLocked):
		return nil, nil
	case errors.Is(err, fs.ErrNotExist): // killed before its first run, or deleted by another process
		return nil, o.removeOld(dir)
	}
	var delivered map[string]bool
	if err == nil {
		if o.dryRun { // a batch can begin meanwhile
			index.Close()
		} else {
			defer index.Close() // nothing was written to it
		}
		delivered, err = o.runsInBatchOutput(dir)
	}
	if err != nil {
		o.console.note("%s kept: %v", filepath.Base(dir), err)
		return nil, nil
	}
	paths, err := runFilesIn(dir)
	if err != nil {
		return nil, err
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
	info, err := os.Stat(paths[0])
	if err != nil || o.dryRun || o.env.Now().Sub(info.ModTime()) < time.Duration(o.older) {
		return nil
	}
	for _, path := range paths {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrExist) {
			return &outputError{err}
		}
	}
	return nil
}

// runsInBatchOutput returns the IDs of the runs with a line in the output of a batch. They are nil if the batch cannot be
// continued, and that will stay so: it has no output, or a later batch has written it, or it is gone.
func (o *pruneOptions) runsInBatchOutput(dir string) (map[string]bool, error) {
	head, err := readIndexHead(dir)
	if err != nil || head.Output == "" {
		return nil, err
	}
	path := pointerPath(filepath.Dir(dir), head.Output)
	pointer, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer pointer.Close()
	if id, _, err := batchOfPointer(pointer); err != nil || id != filepath.Base(dir) {
		return nil, err
	}
	out, err := os.Open(head.Output)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, o.forgetOutput(head.Output, pointer)
	case err != nil:
		return nil, err
	}
	defer out.Close()
	delivered := map[string]bool{}
	_, _, err = batch.ReadLines(out, head.Output, func(l batch.OutputLine, _ int, _ int64) error {
		delivered[l.RunID] = true
		return nil
	})
	return delivered, err
}

// forgetOutput removes the pointer to a batch whose output is gone, so that the batch does not continue without the runs
// that are deleted if the output comes back.
func (o *pruneOptions) forgetOutput(output string, pointer *os.File) error {
	if o.dryRun {
		return nil
	}
	err := atomicfile.Lock(pointer)
	if err == nil && isNamed(pointer, pointer.Name()) {
		_, err = os.Lstat(output)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return os.Remove(pointer.Name())
	case err == nil:
		err = errors.New("another batch has just written it")
	}
	return fmt.Errorf("%s: %w", output, err)
}
