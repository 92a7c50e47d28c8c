package cmd

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"oneshot/pkg/batch"
	"oneshot/pkg/redact"
	"oneshot/pkg/runfile"
)

// Values of --retry.
const (
	retryLater  = "later"
	retryFailed = "failed"
	retryAll    = "all"
)

// An earlierOutput is the output of an earlier batch, most of whose lines are copied.
type earlierOutput struct {
	file    *os.File
	retry   string
	batches map[string]bool // IDs of those that have written it
	missing int             // records without a line in it that are run
}

// batchesOfLines returns the batches of its lines.
func (o *earlierOutput) batchesOfLines() (ids []string) {
	if o == nil {
		return nil
	}
	for id := range o.batches {
		if isBatchID(id) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// openEarlierOutput opens the output of an earlier batch.
func openEarlierOutput(name, retry string) (*earlierOutput, error) {
	f, err := openFile(name)
	if err != nil {
		return nil, fmt.Errorf("--retry: %w", err)
	}
	return &earlierOutput{file: f, retry: retry, batches: map[string]bool{}}, nil
}

func (o *earlierOutput) close() {
	o.file.Close() // it was only read
}

// runsAgain reports whether the record of a line is run again.
func (o *earlierOutput) runsAgain(l batch.OutputLine) bool {
	switch {
	case l.Exit.Code == 0:
		return false
	case o.retry == retryLater:
		return l.Exit.Retry == runfile.RetryLater
	}
	return o.retry == retryAll || l.Exit.Retry != runfile.RetryByHand
}

// readLines passes the lines to each, as [batch.ReadLines] does.
func (o *earlierOutput) readLines(each func(l batch.OutputLine, number int, offset int64) error) error {
	_, _, err := batch.ReadLines(io.NewSectionReader(o.file, 0, 1<<62), o.file.Name(), each)
	return outputReadError("--retry", err)
}

// lineAt returns the line at an offset.
func (o *earlierOutput) lineAt(at int64) ([]byte, error) {
	text, err := bufio.NewReader(io.NewSectionReader(o.file, at, batch.MaxLine)).ReadBytes('\n')
	switch {
	case errors.Is(err, io.EOF) && len(text) > 0: // the last line may lack its line feed
		return append(text, '\n'), nil
	case err != nil:
		return nil, &inputError{fmt.Errorf("--retry %s: %w", o.file.Name(), err)}
	}
	return text, nil
}

// readOutput reads the lines of the earlier output and of the output.
func (b *batchRun) readOutput() error {
	if err := b.readEarlierOutput(); err != nil {
		return err
	}
	if b.state.out == nil {
		return nil
	}
	b.plans = map[string]int{}
	err := b.state.out.Read(b.state.isKnown, func(l batch.OutputLine, number int, _ int64) error { return b.addOutputLine(l, number) })
	return outputReadError("-o", err)
}

// readEarlierOutput reads the lines of the earlier output, if there is one.
func (b *batchRun) readEarlierOutput() error {
	o := b.earlier
	if o == nil {
		return nil
	}
	id, err := b.state.batchOfOutput(o.file.Name())
	if err != nil {
		return err
	}
	o.batches[id] = id != ""
	return o.readLines(func(l batch.OutputLine, number int, at int64) error {
		key, err := keyOfLine(l, o.file.Name(), number)
		if err != nil {
			return err
		}
		b.heard.addLine(l)
		o.batches[batchOfRun(l.RunID)] = true
		e := b.records.entry(key)
		e.isInEarlier = true
		if !o.runsAgain(l) {
			e.earlier, e.input = at, keyOfID(l.Input)
		}
		return nil
	})
}

// checkNoEarlierChanges refuses a record without a line in the earlier output whose run has made changes: that run was cut off, or
// its line was not written. Only --retry all repeats changes.
func (b *batchRun) checkNoEarlierChanges(e *recordEntry, r batch.Record) error {
	o := b.earlier
	if o == nil || e.isInEarlier {
		return nil
	}
	o.missing++
	for id := range o.batches {
		if o.retry == retryAll || !isBatchID(id) {
			continue
		}
		hasChanged, err := hasIntent(runPathIn(filepath.Join(filepath.Dir(b.state.dir), id), r.ID))
		switch {
		case err != nil:
			return err
		case hasChanged:
			return usagef("repeat the command that wrote it, which continues it; or use --retry all, which runs the record again whatever its run has changed",
				"--retry %s: %s has no line for the record %q (%s:%d), but its run has begun and made changes", o.retry, o.file.Name(), r.ID, b.input.name, r.Line)
		}
	}
	return nil
}

// warnOfMissing warns of records without a line in the earlier output.
func (b *batchRun) warnOfMissing() {
	if o := b.earlier; o != nil && o.missing > 0 {
		b.console.warn("if its batch was interrupted, first repeat the command that wrote it", "%s has no line for %d of the records; they are run, too", o.file.Name(), o.missing)
	}
}

// addOutputLine adds a line of the output to the state of its record.
func (b *batchRun) addOutputLine(l batch.OutputLine, number int) error {
	key, err := keyOfLine(l, b.state.path, number)
	if err != nil {
		return err
	}
	e := b.records.entry(key)
	if e.isDone {
		return &batch.ForeignError{Path: b.state.path, Line: number, Why: fmt.Sprintf("another line has the ID %q, too", l.ID)}
	}
	isCopy, err := b.isCopiedFromEarlier(e, l)
	isOwn := b.state.owns(l.RunID)
	switch {
	case err != nil:
		return err
	case isCopy, b.state.hasCopied(l.RunID, b.earlier != nil):
	case b.state.isKnown && !isOwn:
		return usagef("restore the output, or write to another file; until --retry has copied all lines, it needs the same --retry again",
			"-o %s:%d was written by another batch than the one that -o continues", b.flags.file, number)
	case b.plans[l.Plan] == 0:
		b.plans[l.Plan] = number
	}
	if isOwn {
		b.spent = b.spent.Add(l.Cost)
	}
	b.heard.addLine(l)
	e.isDone, e.input = true, keyOfID(l.Input)
	b.records.counts.add(l)
	return nil
}

// keyOfLine returns the key of the record of a line of an output. It comes from the ID of the run, because secrets may be
// masked in the ID of the record.
func keyOfLine(l batch.OutputLine, path string, number int) (recordKey, error) {
	key, ok := keyOfRun(l.RunID)
	if !ok || key != keyOfID(l.ID) && !strings.Contains(l.ID, redact.Mask) {
		return key, &batch.ForeignError{Path: path, Line: number, Why: fmt.Sprintf("the run %s is not that of the record %q", l.RunID, l.ID)}
	}
	return key, nil
}

// isCopiedFromEarlier reports whether a line of the output was copied from the earlier output, whose plan may differ.
func (b *batchRun) isCopiedFromEarlier(e *recordEntry, l batch.OutputLine) (bool, error) {
	if e.earlier < 0 {
		return false, nil
	}
	text, err := b.earlier.lineAt(e.earlier)
	if err != nil {
		return false, err
	}
	old, err := batch.ParseLine(text)
	return old.RunID == l.RunID, err
}

// outputReadError returns the error for an output that cannot be read.
func outputReadError(flag string, err error) error {
	var path *fs.PathError
	switch {
	case err == nil:
		return nil
	case as[*batch.ForeignError](err):
		return usagef("name the output of a batch, or a new file", "%s: %w", flag, err)
	case errors.As(err, &path):
		return &outputError{fmt.Errorf("%s: %w", flag, err)}
	}
	return err
}

// checkLeftOver refuses an output with lines for records that are not in the input, an unfinished output whose runs are not on
// record here, and an earlier output with lines to copy for records that are not in the input.
func (b *batchRun) checkLeftOver() error {
	lines, done, isLeftOver := 0, 0, false
	for _, e := range b.records.entries {
		if e.isDone {
			lines++
		}
		if e.isDone && e.line > 0 {
			done++
		}
		isLeftOver = isLeftOver || e.earlier >= 0 && e.line == 0
	}
	check := func(path, hint string) func(l batch.OutputLine, number int, _ int64) error {
		return func(l batch.OutputLine, number int, _ int64) error {
			key, _ := keyOfLine(l, path, number) // it was read before
			if e := b.records.entries[key]; e.line == 0 && (e.isDone || e.earlier >= 0) {
				return usagef(hint, "%s:%d: no record of %s has the ID %q", path, number, b.input.name, l.ID)
			}
			return nil
		}
	}
	switch {
	case lines > done:
		return outputReadError("-o", b.state.out.Read(b.state.isKnown, check(b.state.path, "give the records that it was written for, or another -o")))
	case isLeftOver:
		return b.earlier.readLines(check(b.earlier.file.Name(), "give the records that it was written for; --retry selects the ones to run again"))
	}
	if done < b.records.counts.total && b.state.out != nil && (lines > 0 || b.state.isKnown) && !b.state.hasIndex() {
		return usagef("to copy its good lines: oneshot batch --retry failed "+runPathArgument(b.flags.file)+" -o NEW with the same flags and records",
			"-o %s: the runs of this batch are not on record here, so what was under way is unknown", b.flags.file)
	}
	return nil
}

// checkSamePlan refuses to continue a batch with another plan.
func (b *batchRun) checkSamePlan() error {
	differs := func(where string) error {
		return usagef("restore the flags and files, or write to another file", "-o %s%s was written with another model, server, prompt, tools, policy, schema or parameters, or by another version of oneshot", b.flags.file, where)
	}
	for plan, number := range b.plans {
		if plan != b.plan {
			return differs(fmt.Sprintf(":%d", number))
		}
	}
	if !b.state.isKnown || b.isDone() {
		return nil
	}
	plan, err := b.state.plan()
	if err == nil && plan != "" && plan != b.plan {
		return differs("")
	}
	return err
}

// isDone reports whether every record has a line.
func (b *batchRun) isDone() bool { return b.records.counts.done() == b.records.counts.total }
