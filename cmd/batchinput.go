package cmd

import (
	"bufio"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"iter"
	"log/slog"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"oneshot/pkg/batch"
	"oneshot/pkg/telemetry"
)

// maxSpool is the largest input that is copied to disk because it cannot be read twice, in bytes.
const maxSpool = 4 << 30

// A batchInput is the input of a batch, which is read twice: to check it, and to make the runs.
type batchInput struct {
	name    string // for messages
	file    *os.File
	format  batch.Format
	idField string
	needsID bool
}

// openBatchInput opens the input. All but a regular file is copied to a temporary file.
func openBatchInput(ctx context.Context, env Env, name string, flags *resolvedFlags) (*batchInput, error) {
	in := &batchInput{name: displayName(name), format: batch.JSONL, idField: "id"}
	if strings.HasSuffix(strings.TrimSuffix(strings.ToLower(name), ".gz"), ".csv") {
		in.format = batch.CSV
	}
	if flags.batch.format != "" {
		in.format = batch.Format(flags.batch.format)
	}
	if flags.batch.idField != "" {
		in.idField, in.needsID = flags.batch.idField, true
	}
	if name != "-" {
		f, err := openFile(name)
		if err != nil {
			return nil, err
		}
		info, err := f.Stat()
		switch {
		case err != nil:
			return nil, errors.Join(&inputError{err}, f.Close())
		case info.IsDir():
			return nil, errors.Join(readError(name, unix.EISDIR), f.Close())
		case info.Mode().IsRegular():
			in.file = f
			return in, nil
		}
		defer f.Close()
		return in, in.spool(ctx, env, flags.dryRun, name, f)
	}
	return in, in.spool(ctx, env, flags.dryRun, name, env.Stdin)
}

// spool copies an input that cannot be read twice to a temporary file without a name.
func (in *batchInput) spool(ctx context.Context, env Env, isDry bool, name string, src io.Reader) (err error) {
	dir := ""
	if !isDry {
		if dir, err = makeStateDir(env, "batches"); err != nil {
			return err
		}
	}
	f, err := os.CreateTemp(dir, ".input-")
	if err != nil {
		return &outputError{err}
	}
	if err := os.Remove(f.Name()); err != nil { // the file remains until it is closed
		return errors.Join(&outputError{err}, f.Close())
	}
	_, err = interruptible(ctx, name, func() (int64, error) {
		var readErr error
		n, err := io.Copy(f, io.LimitReader(readerFunc(func(p []byte) (n int, err error) {
			if n, err = src.Read(p); err != nil && !errors.Is(err, io.EOF) {
				readErr = err
			}
			return n, err
		}), maxSpool+1))
		switch {
		case readErr != nil:
			return n, readError(name, readErr)
		case err != nil:
			return n, &outputError{fmt.Errorf("copy of %s: %w", in.name, err)}
		case n > maxSpool:
			return n, &inputError{fmt.Errorf("%s is larger than %d GiB", in.name, maxSpool>>30)}
		}
		return n, nil
	})
	if err != nil {
		return err // a blocked read may still use the file
	}
	in.file = f
	return nil
}

// A readerFunc is a function that reads.
type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func (in *batchInput) close() {
	if in.file != nil {
		in.file.Close() // it was only read
	}
}

// records yields the records from the first one on.
func (in *batchInput) records() iter.Seq2[batch.Record, error] {
	return func(yield func(batch.Record, error) bool) {
		src := bufio.NewReader(io.NewSectionReader(in.file, 0, 1<<62))
		var text io.Reader = src
		if begin, _ := src.Peek(2); isGzip(begin) { // the next read returns the error
			unzipped, err := gzip.NewReader(src)
			if err != nil {
				yield(batch.Record{}, err)
				return
			}
			text = unzipped
		}
		batch.ReadRecords(text, in.format, in.idField, in.needsID)(yield)
	}
}

// A recordKey is the beginning of the SHA-256 of a record ID. The ID of a run ends in it, so that lines and run files can be
// matched to their record even if secrets in its ID are masked.
type recordKey [8]byte

func keyOfID(id string) recordKey {
	sum := sha256.Sum256([]byte(id))
	return recordKey(sum[:len(recordKey{})])
}

// A recordIndex has the state of each record, without the record.
type recordIndex struct {
	entries map[recordKey]*recordEntry
	counts  batchCounts
}

// A recordEntry is the state of a record.
type recordEntry struct {
	line        int32     // in the input; 0: not found there yet
	isDone      bool      // it has a line in the output
	isInEarlier bool      // it has a line in the earlier output
	input       recordKey // keyOfID of the digest of the record, from its line in an output or else from the input
	earlier     int64     // offset of its line in the earlier output, if that is copied; -1: none
}

// entry returns the entry of a record.
func (x *recordIndex) entry(key recordKey) *recordEntry {
	if x.entries == nil {
		x.entries = map[recordKey]*recordEntry{}
	}
	e := x.entries[key]
	if e == nil {
		e = &recordEntry{earlier: -1}
		x.entries[key] = e
	}
	return e
}

// maxShownFaults is the maximum number of printed faults of an input.
const maxShownFaults = 20

// faults collects the faults of an input.
type faults struct {
	b         *batchRun
	count     int
	duplicate bool
}

// report prints a fault of a record.
func (f *faults) report(r batch.Record, err error) {
	var of *batch.RecordError
	why := err.Error()
	if errors.As(err, &of) {
		why = of.Why
	}
	if f.count++; f.count <= maxShownFaults {
		f.b.console.note("%s:%d: %s", f.b.input.name, r.Line, why)
	}
}

// checkInputRecords checks all records against each other, the prompt, and the lines of the output.
func (b *batchRun) checkInputRecords(ctx context.Context) error {
	if err := b.readOutput(); err != nil {
		return err
	}
	found := &faults{b: b}
	for r, err := range b.input.records() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil && !as[*batch.RecordError](err) {
			return &inputError{fmt.Errorf("%s: %w", b.input.name, err)}
		}
		b.records.counts.total++
		if err == nil {
			if err := b.texts.checkLiteralPlaceholders(r); err != nil {
				return err
			}
		}
		if err == nil {
			_, err = b.texts.of(r)
		}
		if err != nil {
			found.report(r, err)
			continue
		}
		if r.Index == 1 {
			b.noteUnusedFields(r)
		}
		if err := b.addRecord(r, found); err != nil {
			return err
		}
	}
	switch total := b.records.counts.total; {
	case found.duplicate:
		return usagef("give each record an ID of its own, or omit --id-field to use line numbers", "%s: records have the same ID", b.input.name)
	case found.count > 0:
		return &inputError{fmt.Errorf("%s: %d of %d records cannot be used; nothing was run", b.input.name, found.count, total)}
	case total == 0 && !b.flags.prompt.input.allowEmpty:
		return &hintedError{&inputError{fmt.Errorf("%s has no records", b.input.name)}, "use --allow-empty-input to accept it"}
	}
	b.warnOfMissing()
	return b.checkLeftOver()
}

// noteUnusedFields notes the fields of a record that its run does not use.
func (b *batchRun) noteUnusedFields(r batch.Record) {
	var names []string
	for _, f := range r.Fields {
		if f.Name != b.input.idField && f.Name != inputField && !b.texts.uses(f.Name) {
			names = append(names, f.Name)
		}
	}
	if len(names) > 0 {
		b.console.progress(slog.LevelInfo, "fields that the prompt does not use: "+escapeInvisible(strings.Join(names, ", ")))
	}
}

// addRecord adds a record to the index, and compares it with the line that it has in an output.
func (b *batchRun) addRecord(r batch.Record, found *faults) error {
	e, input := b.records.entry(keyOfID(r.ID)), keyOfID(r.Digest)
	switch {
	case e.line > 0:
		found.duplicate = true
		found.report(r, fmt.Errorf("the ID %q is also that of line %d", r.ID, e.line))
		return nil
	case (e.isDone || e.earlier >= 0) && e.input != input:
		return usagef("restore the record, or write to another file", "%s:%d: the record %q has changed since its line was written", b.input.name, r.Line, r.ID)
	}
	if e.line = int32(r.Line); e.isDone {
		return nil
	}
	e.input = input
	hasBegun, err := b.state.checkUnchanged(r, b.input.name)
	switch {
	case err != nil:
		return err
	case !hasBegun:
		return b.checkNoEarlierChanges(e, r)
	}
	run, err := telemetry.ReadRun(b.state.runPath(r.ID), nil)
	for _, m := range run.Models {
		b.spent = b.spent.Add(m.Cost)
		b.heard.addUsage(m)
	}
	return err
}

// pending yields the records without a line. A record that has changed since it was checked is an error.
func (b *batchRun) pending(ctx context.Context) iter.Seq2[batch.Record, error] {
	return func(yield func(batch.Record, error) bool) {
		for r, err := range b.input.records() {
			switch e := b.records.entries[keyOfID(r.ID)]; {
			case ctx.Err() != nil:
				return
			case err != nil:
				yield(r, &inputError{fmt.Errorf("%s: %w", b.input.name, err)})
				return
			case e == nil || e.input != keyOfID(r.Digest):
				yield(r, &inputError{fmt.Errorf("%s:%d: the record has changed while the batch was running", b.input.name, r.Line)})
				return
			case !e.isDone && !yield(r, nil):
				return
			}
		}
	}
}
