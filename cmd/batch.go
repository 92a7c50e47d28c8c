package cmd

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"oneshot/pkg/agent"
	"oneshot/pkg/batch"
	"oneshot/pkg/chat"
)

func newBatch(env Env, t *console) *cobra.Command {
	c := &cobra.Command{
		Use:   "batch [flags] FILE|-",
		Short: "Run a prompt for each record of a file and print one JSON line for each",
		Long: `Batch makes one run for each record of a JSON Lines or CSV file, several at a time, and
writes one JSON line for each, in the order of the records. ${FIELD} in the prompt names
a field of the record; the field input is the input of the run. With -o FILE the same
command continues a batch that was interrupted: a record with a line is done, and a run
that was cut off is resumed. --retry takes two files, the earlier output and the
records: oneshot batch --retry failed [flags] -o NEW OLD FILE.`,
		Example: `  oneshot batch --model ollama/qwen3:8b --prompt 'Translate ${text} into Latin' -o latin.jsonl texts.jsonl
  oneshot batch --model ollama/qwen3:8b --prompt-file ask.md --schema person.schema.json --concurrency 8 -o people.jsonl people.csv`,
		Args: atMostArguments(2, ""),
		RunE: func(c *cobra.Command, args []string) error {
			return runBatch(c.Context(), env, t, commandLine(c.Flags()), args)
		},
	}
	new(options).define(c, env, forBatch)
	c.SetUsageFunc(groupedUsage(forBatch))
	return c
}

// batchOptions are the flags that only a batch has.
type batchOptions struct {
	prompt      string
	format      string // of the input; "" for that of its name
	idField     string
	concurrency int
	rate        string // of requests
	unordered   bool
	maxFailures int           // 0: no limit
	timeout     time.Duration // of the whole batch; 0: no limit
	cost        chat.USD      // of all runs; 0: no limit
	retry       string        // which lines of an earlier output are run again
	files       []string      // the arguments
}

const defaultConcurrency = 4

// aheadFactor times the concurrency is the maximum number of runs that are begun and not delivered: see [batch.Pool].
const aheadFactor = 16

func (o *options) batchFlags() []flagRow {
	b := &o.batch
	return []flagRow{
		{name: "concurrency", on: forBatch, field: count(&b.concurrency, defaultConcurrency), resume: unrecorded,
			help: "make `N` runs at a time"},
		{name: "rate", on: forBatch, field: text(&b.rate, ""), completes: nothing("any rate"), resume: unrecorded,
			help: "limit model requests to `N/UNIT` (s, m or h) across all batches of this user, e.g. --rate 100/m"},
		{name: "unordered", on: forBatch, field: toggle(&b.unordered), resume: unrecorded,
			help: "write each line as soon as its run ends, not in the order of the records"},
		{name: "max-failures", on: forBatch, field: count(&b.maxFailures, 0), resume: unrecorded,
			help: "begin no more runs after `N` have failed (0: no limit)"},
		{name: "total-timeout", on: forBatch, field: duration(&b.timeout, 0), resume: unrecorded,
			help: "limit the wall-clock time of the batch to `DURATION` (0: no limit); --timeout limits each run"},
		{name: "total-max-cost", on: forBatch, field: dollars(&b.cost), resume: unrecorded,
			help: "limit the cost of all runs of the batch to `USD` (0: no limit), over all commands that continue it; --max-cost limits each run"},
		{name: "input-format", on: forBatch, field: text(&b.format, ""), completes: oneOf(string(batch.JSONL), string(batch.CSV)), resume: unrecorded,
			help: "read the records as `FORMAT`: jsonl or csv (default: csv if the file is named so)"},
		{name: "id-field", on: forBatch, field: text(&b.idField, ""), completes: nothing("a field of the records"), resume: unrecorded,
			help: "name records by the field `NAME` (default: id, or the line number without one)"},
		{name: "retry", on: forBatch, field: text(&b.retry, ""), completes: oneOf(retryLater, retryFailed, retryAll), resume: unrecorded,
			help: "rerun failed records of the earlier output OLD, given before FILE, and copy its other lines to -o; `WHICH` is later (may succeed now), failed (without lasting effects) or all"},
	}
}

// checkBatch refuses invalid flags of a batch.
func (o *options) checkBatch(args []string) error {
	b := &o.batch
	switch {
	case b.concurrency < 1 || b.concurrency > 1024:
		return usagef("", "--concurrency must be from 1 to 1024, got %d", b.concurrency)
	case b.maxFailures < 0:
		return usagef("", "--max-failures must be at least 0, got %d", b.maxFailures)
	case b.timeout < 0:
		return usagef("", "--total-timeout must be at least 0, got %v", b.timeout)
	case b.concurrency > 1 && o.approve.who == "tty":
		return usagef("add --concurrency 1", "--approve tty cannot be combined with --concurrency %d: it asks about one run at a time", b.concurrency)
	case slices.ContainsFunc(o.model.allNames(), isRecording):
		return usagef("use the model of a server", "--model: a batch cannot replay a recorded run")
	case b.prompt != "" && o.prompt.file != "":
		return usagef("omit one of them", "--prompt cannot be combined with --prompt-file")
	case b.prompt == "" && o.prompt.file == "" && !o.prompt.template.has():
		return usagef("add --prompt TEXT or --prompt-file FILE", "missing prompt")
	case b.retry != "" && len(args) == 2:
		if o.file == "" {
			return usagef("add -o FILE", "--retry writes a new output")
		}
		if isSameFile(args[0], o.file) {
			return usagef("name another file with -o", "--retry: -o %s is the earlier output", o.file)
		}
		return nil
	case b.retry != "":
		return usagef("for example: oneshot batch --retry failed old.jsonl -o new.jsonl records.jsonl", "--retry needs two files: the earlier output and the records")
	case len(args) == 0:
		return usagef("for example: oneshot batch --prompt 'Translate ${text}' texts.jsonl, or - for stdin", "missing FILE")
	case len(args) == 2:
		return usagef("give one FILE; see oneshot batch --help", "unexpected argument %q", args[1])
	}
	return nil
}

// A batchRun is the state of a batch command.
type batchRun struct {
	env     Env
	console *console
	flags   *resolvedFlags
	input   *batchInput
	shared  *sharedPlan
	texts   *batchTexts
	state   *batchState
	records recordIndex
	earlier *earlierOutput // the output whose lines --retry copies; nil without it
	plans   map[string]int // digests of plans in the output, with the number of their first line
	plan    string         // digest of the current plan
	limiter *batchLimiter
	spent   chat.Cost // by earlier commands of the batch
	heard   earlierResponses
	use     func(*agent.Config) // adds the tools to a run

	progress *batchProgress
	failures atomic.Int64            // of this command
	ending   context.CancelCauseFunc // begins no more runs
	abort    context.CancelCauseFunc // ends the runs as well
	blocked  bool                    // in order: an earlier record has no line, so no more are written
}

// runBatch is the command.
func runBatch(ctx context.Context, env Env, t *console, line flagSource, args []string) error {
	if debug.SetMemoryLimit(-1) == math.MaxInt64 { // GOMEMLIMIT is not set
		debug.SetMemoryLimit(garbageLimit)
	}
	rec, flags, err := resolveBatchFlags(env, t, line)
	if err != nil {
		return err
	}
	if err := errors.Join(flags.check(nil, false), flags.checkBatch(args)); err != nil {
		return err
	}
	if flags.file == "" {
		if err := t.checkOutput(); err != nil {
			return err
		}
	}
	b := &batchRun{env: env, console: t, flags: flags}
	defer b.close()
	if flags.batch.timeout > 0 {
		timer := time.AfterFunc(flags.batch.timeout, func() { t.abort(&batchTimeoutError{flags.batch.timeout}) })
		context.AfterFunc(ctx, func() { timer.Stop() })
		defer timer.Stop()
	}
	if err := b.prepare(ctx, rec, args); err != nil || flags.dryRun {
		return err
	}
	return b.run(ctx)
}

// resolveBatchFlags resolves the flags of a batch from the command line, its agent file and the defaults of the user.
func resolveBatchFlags(env Env, t *console, line flagSource) (*recordedRun, *resolvedFlags, error) {
	rec := &recordedRun{env: env, current: env, flags: flagSource{kind: fromRecord, values: map[string][]string{}}}
	flags, err := resolveFlags(forBatch, line)
	if err == nil && flags.agent != "" {
		rec.agent, err = loadAgent(env, t, "--agent", flags.agent)
	}
	if err == nil {
		flags, err = rec.resolve(forBatch, t, line)
	}
	if err == nil {
		rec.agent.noteIgnored(t)
	}
	return rec, flags, err
}

// prepare resolves everything that the runs share, and finds all errors it can before the first of them.
func (b *batchRun) prepare(ctx context.Context, rec *recordedRun, args []string) (err error) {
	b.flags.batch.files, b.spent = args, chat.Cost{Known: true}
	if b.shared, err = newSharedPlan(ctx, b.console, b.flags, rec); err != nil {
		return err
	}
	if b.texts, err = b.flags.loadBatchTexts(ctx, b.env, b.console, args); err != nil {
		return causeOr(ctx, err)
	}
	if b.state, err = openBatchState(b.env, b.flags.file, b.flags.dryRun); err != nil {
		return err
	}
	if b.state.emptied != "" {
		b.console.warn("the runs of the earlier batch are in "+b.state.emptied, "-o %s is empty, but a batch has written lines to it: a new batch begins", b.flags.file)
	}
	if b.input, err = openBatchInput(ctx, b.env, args[len(args)-1], b.flags); err != nil {
		return causeOr(ctx, err)
	}
	if len(args) == 2 {
		if b.earlier, err = openEarlierOutput(args[0], b.flags.batch.retry); err != nil {
			return err
		}
	}
	if err := b.checkInputRecords(ctx); err != nil {
		return err
	}
	if err := b.shared.lockAndChooseModels(ctx); err != nil {
		return causeOr(ctx, err)
	}
	if b.plan, err = b.planDigest(); err != nil {
		return err
	}
	if err := b.checkSamePlan(); err != nil {
		return err
	}
	b.console.noteUnusedStdin(b.env, args...)
	if b.limiter, err = b.newLimiter(); err != nil {
		return err
	}
	return b.checkFirst(ctx)
}

// checkFirst builds the first request without sending it. A dry run prints it.
func (b *batchRun) checkFirst(ctx context.Context) error {
	for r, err := range b.pending(ctx) {
		if err != nil {
			return err
		}
		if b.records.entries[keyOfID(r.ID)].earlier >= 0 { // its line is copied
			continue
		}
		p, err := b.itemPlan(ctx, b.console, b.shared.recorded, r)
		if err != nil {
			return err
		}
		return p.checkOrPrintFirstRequest()
	}
	return nil
}

// run processes the records without a line.
func (b *batchRun) run(ctx context.Context) error {
	b.progress = newBatchProgress(b.console, b.records.counts, b.limiter.budget)
	defer b.progress.clear()
	if b.isDone() && b.state.out != nil && !b.state.isKnown { // a complete output of a batch that is not on record here keeps its batch
		if err := b.state.repairOutput(); err != nil {
			return err
		}
		return b.verdict()
	}
	use, release, err := b.shared.openTools(ctx)
	if err != nil {
		return err
	}
	defer release()
	b.use = use
	if err := b.state.begin(b.env, b.plan); err != nil {
		return err
	}
	if b.earlier != nil && !b.isDone() {
		if err := b.state.markCopying(); err != nil {
			return &outputError{fmt.Errorf("state of the batch: %w", err)}
		}
	}
	b.shared.programs.log(b.console, b.state.id)
	runs, abort := context.WithCancelCause(context.WithoutCancel(ctx))
	defer abort(nil)
	defer context.AfterFunc(ctx, func() { abort(cutOff(context.Cause(ctx))) })()
	next, ending := context.WithCancelCause(runs)
	defer ending(nil)
	b.ending = ending
	b.abort = func(err error) {
		ending(err)
		abort(cutOff(err))
	}
	o := &b.flags.batch
	pool := batch.Pool{Workers: o.concurrency, Ahead: aheadFactor * o.concurrency, Unordered: o.unordered}
	err = batch.Run(next, pool, b.pending(next), func(r batch.Record) itemResult { return b.work(runs, r) }, b.deliver)
	b.progress.clear()
	isDone := b.progress.counts.done() == b.progress.counts.total
	switch cause := context.Cause(next); {
	case ctx.Err() != nil:
		return b.withContinueHint(context.Cause(ctx))
	case as[*tooManyFailuresError](cause) && isDone: // the last record reached the limit
	case err != nil && cause == nil:
		return b.withContinueHint(err)
	case cause != nil:
		return b.withContinueHint(cause)
	}
	if isDone {
		if err := b.state.markCopied(b.earlier.batchesOfLines()); err != nil {
			return &outputError{fmt.Errorf("state of the batch: %w", err)}
		}
	}
	return b.verdict()
}

// close releases the files and locks of the batch.
func (b *batchRun) close() {
	if b.input != nil {
		b.input.close()
	}
	if b.earlier != nil {
		b.earlier.close()
	}
	if b.state != nil {
		b.state.close()
	}
}

// withBatchHint adds the next step to the error of a run of a batch.
func withBatchHint(err error, effects agent.Effects) error {
	again := ", and run the record again with --retry failed"
	if effects != agent.NoEffects {
		again = "; check what the run has changed, and run the record again with --retry all"
	}
	switch {
	case as[*agent.ApprovalError](err):
		return &hintedError{err, "use --approve PROGRAM, or allow the call in a policy" + again}
	case as[*agent.UnknownOutcomeError](err):
		return &hintedError{err, "check whether it took effect; --retry all runs the record again"}
	case as[*agent.NeedsError](err):
		return &hintedError{err, "put it into the field input of the record" + again}
	}
	return err
}

// A cutOffError ends a run because its batch has ended. In the record of the run it is an interruption: the run must not seem
// to have used up a limit of its own, and is resumed.
type cutOffError struct{ by error }

func (e *cutOffError) Error() string { return e.by.Error() }

func (*cutOffError) Unwrap() error { return context.Canceled }

// cutOff returns the error of runs that the end of their batch cuts off.
func cutOff(by error) error {
	if as[*InterruptError](by) {
		return by
	}
	return &cutOffError{by}
}

// A batchTimeoutError reports that --total-timeout has ended a batch.
type batchTimeoutError struct{ limit time.Duration }

func (e *batchTimeoutError) Error() string {
	return fmt.Sprintf("the batch took longer than %v", e.limit)
}

// A failedRecordsError reports that runs of a batch have failed.
type failedRecordsError struct{ summary string }

func (e *failedRecordsError) Error() string { return e.summary }

// verdict returns the error of a batch all of whose lines are written: nil if all records succeeded.
func (b *batchRun) verdict() error {
	c := &b.progress.counts
	if missing := c.total - c.done(); missing > 0 {
		return b.withContinueHint(&inputError{fmt.Errorf("%s: %d records are missing: the file has changed while the batch was running", b.input.name, missing)})
	}
	if c.failed() == 0 {
		b.progress.reportAllSucceeded()
		return nil
	}
	err := &failedRecordsError{b.progress.summary()}
	if b.flags.file == "" {
		return err
	}
	return &hintedError{err, "to run them again: oneshot batch --retry failed " + runPathArgument(b.flags.file) + " -o NEW, with the same flags and records"}
}

// withContinueHint adds a hint at how to continue an unfinished batch.
func (b *batchRun) withContinueHint(err error) error {
	summary := b.progress.summary()
	hint := summary + "; to continue, repeat the command"
	if b.flags.file == "" {
		hint = summary + "; a batch without -o FILE cannot be continued"
	}
	if so := hintOf(err); so != "" && !strings.Contains(hint, so) {
		hint = so + "; " + hint
	}
	return &hintedError{err, hint}
}
