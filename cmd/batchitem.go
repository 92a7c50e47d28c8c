package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"slices"
	"sync/atomic"

	"oneshot/pkg/batch"
	"oneshot/pkg/provider"
	"oneshot/pkg/runfile"
)

// An itemResult is the outcome for a record: a line of an earlier output to copy, a run that has ended, or neither.
type itemResult struct {
	record batch.Record // without its fields
	line   []byte
	isOver bool // the run file records the end of the run
}

// work makes the run for a record, or continues or finishes it. An error that concerns all runs ends the batch.
func (b *batchRun) work(ctx context.Context, r batch.Record) (res itemResult) {
	res.record = r
	res.record.Fields = nil
	var err error
	defer func() {
		if err != nil {
			b.ending(err)
		}
	}()
	defer recoverPanic(&err)
	if at := b.records.entries[keyOfID(r.ID)].earlier; at >= 0 {
		res.line, err = b.earlier.lineAt(at)
		return res
	}
	item, err := b.openItem(r)
	if err != nil {
		return res
	}
	if !item.isOver {
		err = b.runItem(ctx, item, r)
		if ctx.Err() != nil || err != nil {
			err = causeOr(ctx, err)
			return res
		}
	}
	res.isOver = true
	return res
}

// A batchItem is the run for a record before it starts or continues.
type batchItem struct {
	path     string
	recorded *recordedRun
	isOver   bool
}

// cutOffExits are the exits of runs that a signal or a [cutOffError] ended. They are resumed.
var cutOffExits = []string{"hangup", "interrupted", "quit", "terminated"}

// openItem finds out whether the run for a record is new, was cut off, or is over.
func (b *batchRun) openItem(r batch.Record) (*batchItem, error) {
	item := &batchItem{path: b.state.runPath(r.ID)}
	item.recorded = &recordedRun{env: b.env, current: b.env, agent: b.shared.recorded.agent}
	began, err := readRunOf(item.path)
	switch {
	case err != nil:
		return nil, err
	case began == nil:
		if err := os.Remove(item.path); err != nil && !errors.Is(err, fs.ErrNotExist) { // killed before its first record
			return nil, &outputError{err}
		}
		return item, nil
	case began.Plan != b.plan || began.Input != r.Digest: // the name of the file depends on the ID only
		return nil, usagef("restore it, or write to another file", "%s: record %q or the plan has changed since its run began", b.input.name, r.ID)
	}
	end, err := readItem(item.path)
	if err != nil {
		return nil, err
	}
	if item.isOver = end.isOver(); item.isOver {
		return item, nil
	}
	w, log, err := runfile.Open(item.path)
	if err != nil {
		return nil, err
	}
	if item.recorded.resumed, err = newResumed(w, item.path, log); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return item, nil
}

// itemPlan returns the plan of the run for a record.
func (b *batchRun) itemPlan(ctx context.Context, t *console, rec *recordedRun, r batch.Record) (*runPlan, error) {
	texts, err := b.texts.of(r)
	if err != nil {
		return nil, err
	}
	p := &runPlan{sharedPlan: *b.shared, texts: texts, stdin: &unnamedStdin{isIgnored: true}}
	p.console, p.recorded, p.resolved = t, rec, p.resolved.clone() // each run notes its own prices
	return p, p.configure(ctx)
}

// runItem starts or resumes a run. It returns only errors that concern all runs: the error of the run itself is on record.
func (b *batchRun) runItem(ctx context.Context, item *batchItem, r batch.Record) (err error) {
	defer item.recorded.close() // its error does not matter: the run has ended, or the batch fails
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t := b.console.forItem(r.ID, cancel)
	s := &runState{console: t, flags: b.flags, recorded: item.recorded, batch: b}
	p, err := b.itemPlan(ctx, t, item.recorded, r)
	if err != nil {
		return err
	}
	s.models = p.models
	w, err := b.startItem(s, p, item, r)
	if err != nil {
		return err
	}
	b.use(&p.config)
	p.config.Limiter = b.limiter
	err = s.perform(ctx, p.config, w, func(context.Context) error { return nil })
	if s.recordError != nil {
		return s.recordError
	}
	if cut := new(cutOffError); errors.As(err, &cut) {
		return b.shared.models.withHint(fmt.Errorf("record %s: %w", escapeInvisible(r.ID), cut.by))
	}
	b.countFailure(err)
	return nil
}

// startItem starts the record of a run, or continues it.
func (b *batchRun) startItem(s *runState, p *runPlan, item *batchItem, r batch.Record) (*runfile.Writer, error) {
	if item.recorded.resumed != nil {
		s.id, s.path = item.recorded.resumed.run.ID, item.path
		return s.appendResumeRecord(p)
	}
	body, err := p.record(p.config)
	if err != nil {
		return nil, err
	}
	body.ID = b.state.runID(r.ID)
	body.Batch = &runfile.BatchRecord{Batch: b.state.id, Record: r.ID, Index: r.Index, Input: r.Digest, Plan: b.plan}
	s.id = body.ID
	if err := b.state.indexRun(r, b.console.secrets); err != nil {
		return nil, err
	}
	return s.createRecord(item.path, body)
}

// concernsAll reports whether the error of a run would also end all other runs. It then ends the batch, which cuts the run off.
// A status 403 concerns one request only if the model has responded before: a gateway may filter requests. A failure to connect
// concerns one run only if the models have responded to this command: the server may be restarting.
func (b *batchRun) concernsAll(err error) bool {
	var denied *provider.AuthError
	if errors.As(err, &denied) {
		return denied.Status != http.StatusForbidden || !b.limiter.hasResponded(denied.Model)
	}
	if isConnectFailure(err) && !b.areModelsReachable() {
		return true
	}
	return as[*batch.BudgetError](err) || slices.Contains([]string{"usage", "io"}, exitOf(err).Name)
}

// isConnectFailure reports whether the last request of a run could not connect to the model server or its proxy.
func isConnectFailure(err error) bool {
	var op *net.OpError
	return as[*provider.UnavailableError](err) && errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect")
}

// countFailure counts a failed run, and begins no more if there are too many.
func (b *batchRun) countFailure(err error) {
	most := int64(b.flags.batch.maxFailures)
	if err != nil && b.failures.Add(1) >= most && most > 0 {
		b.ending(&tooManyFailuresError{most})
	}
}

// A tooManyFailuresError reports that --max-failures has ended a batch.
type tooManyFailuresError struct{ most int64 }

func (e *tooManyFailuresError) Error() string {
	return fmt.Sprintf("stopped after %d failed runs", e.most)
}

// forItem returns the console of a run of a batch. Its lines are for logs only: the outcome is in the line of the output.
func (t *console) forItem(id string, abort context.CancelCauseFunc) *console {
	item := *t
	item.abort, item.terminal, item.quiet = abort, false, t.quiet || t.format != "json"
	item.log = t.log.With(slog.String("record", id))
	item.file, item.delivered = new(atomic.Pointer[outputFile]), new(atomic.Bool)
	return &item
}

// An itemRecord is the part of a run file that the line of its run needs.
type itemRecord struct {
	run    runfile.Run
	answer *runfile.Answer
	end    *runfile.End
}

// readItem reads the run file of a run.
func readItem(path string) (*itemRecord, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, &inputError{err}
	}
	defer f.Close()
	it := &itemRecord{}
	answerAt := 0
	scan := runfile.NewScanner(f)
	for r := range scan.Records() {
		switch body := r.Body.(type) {
		case runfile.Run:
			it.run = body
		case runfile.Answer:
			it.answer, answerAt = &body, r.Seq
		case runfile.End:
			it.end = &body
		case runfile.Resumed:
			if it.end = nil; answerAt > body.KeptThrough {
				it.answer = nil
			}
		}
	}
	return it, scan.Err
}

// isOver reports whether the run came to its own end.
func (it *itemRecord) isOver() bool {
	return it.end != nil && !slices.Contains(cutOffExits, it.end.Name)
}

// line returns the line of a run.
func (it *itemRecord) line(path string) batch.OutputLine {
	e, of := it.end, it.run.Batch
	l := batch.OutputLine{
		ID: of.Record, Index: of.Index, Input: of.Input, Plan: of.Plan, Exit: batch.Exit{Code: e.Exit, Name: e.Name, Retry: e.Retry, Retryable: e.Retryable},
		Warnings: e.Warnings, Usage: e.Usage, Cost: e.Cost, DurationMS: e.Duration.Milliseconds(), RunID: it.run.ID, RunFile: path,
	}
	if e.Exit != 0 || it.answer == nil {
		l.Error = &batch.Failure{Message: e.Why, Hint: e.Hint}
		return l
	}
	l.Answer = it.answer.JSON
	return l
}

// deliver writes the line of a record. An ordered batch writes no more lines after a record without one.
func (b *batchRun) deliver(res itemResult) (err error) {
	defer func() {
		if err != nil {
			b.abort(err)
		}
	}()
	defer recoverPanic(&err)
	if b.blocked || res.line == nil && !res.isOver {
		b.blocked = !b.flags.batch.unordered
		return nil
	}
	text, l := res.line, batch.OutputLine{}
	if text == nil {
		path := b.state.runPath(res.record.ID)
		it, err := readItem(path)
		if err != nil {
			return err
		}
		l = it.line(path)
		text, err = l.Encode()
		if err != nil {
			return err
		}
	} else if l, err = batch.ParseLine(text); err != nil {
		return err
	}
	if err := b.write(text); err != nil {
		return err
	}
	b.progress.add(l)
	return nil
}

// write writes a line to the output.
func (b *batchRun) write(line []byte) error {
	if b.state.out == nil {
		_, err := b.console.out.Write(line)
		return err
	}
	if err := b.state.appendLine(line); err != nil {
		return &outputError{fmt.Errorf("%s: %w", b.state.path, err)}
	}
	return nil
}
