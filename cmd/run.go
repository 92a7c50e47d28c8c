package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"oneshot/pkg/agent"
	"oneshot/pkg/diag"
	"oneshot/pkg/executor"
	"oneshot/pkg/policy"
	"oneshot/pkg/provider"
	"oneshot/pkg/redact"
	"oneshot/pkg/runfile"
	"oneshot/pkg/schema"
)

func newRun(env Env, t *console) *cobra.Command {
	c := &cobra.Command{
		Use:   "run [flags] [PROMPT|-]",
		Short: "Run a prompt with tools and print the answer as JSON",
		Long: `Run sends a prompt to a model, runs the tools it calls, and prints the final answer
as one JSON document on stdout. Progress, warnings and errors go to stderr. A pipe or
file on stdin is read as input without a flag; --no-stdin turns that off.`,
		Example: `  oneshot run --model ollama/qwen3:8b --input app.log --schema errors.schema.json 'Count the errors'
  oneshot run --model ollama/qwen3:8b --tool 'vault_*' --tool file_read --root notes \
    --schema todo.schema.json 'What is left to do before release 0.2?'`,
		Args:              atMostArguments(1, "quote a prompt that contains spaces"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(c *cobra.Command, args []string) error {
			return run(c.Context(), env, t, commandLine(c.Flags()), args)
		},
	}
	new(options).define(c, env, forRun)
	c.SetUsageFunc(groupedUsage(forRun))
	return c
}

// garbageLimit is the heap size from which garbage is collected eagerly, so that a long reply does not use several
// times its size.
const garbageLimit = 128 << 20

// run is the command: it resolves the flags and records, makes a plan, and carries it out.
func run(ctx context.Context, env Env, t *console, line flagSource, args []string) error {
	if debug.SetMemoryLimit(-1) == math.MaxInt64 { // GOMEMLIMIT is not set
		debug.SetMemoryLimit(garbageLimit)
	}
	rec, flags, err := openRecorded(env, t, line, args)
	if err != nil {
		openEventsOfFailure(ctx, env, t, line, err)
		return err
	}
	defer rec.close() // even if the run does not finish
	r := &runState{console: t, flags: flags, recorded: rec, secretFlags: rec.secretFlags}
	if rec.resumed != nil {
		r.id, r.path = rec.resumed.run.ID, rec.resumed.path
	}
	defer func() { t.envelope, t.recovery = r.envelope(), r.recovery }()
	if err := errors.Join(t.applyVerbose(flags), openOutput(t, flags, rec), openEvents(ctx, t, flags, rec)); err != nil {
		return err
	}
	if err := errors.Join(flags.check(args, rec.resumed != nil), t.checkOutput()); err != nil {
		return err
	}
	wall := r.startTimeout()
	context.AfterFunc(ctx, func() { wall.Stop() }) // it applies until the answer is delivered
	plan, err := newRunPlan(ctx, t, flags, rec, args)
	if err != nil {
		r.takeRecordedUsage()
		return err
	}
	r.models = plan.models
	if flags.stream != "" {
		r.text = newTextStream(ctx, t, flags.stream)
	}
	if err := plan.checkOrPrintFirstRequest(); err != nil || flags.dryRun {
		return err
	}
	return r.withResumeHint(plan.models.withHint(r.execute(ctx, plan)))
}

// startTimeout aborts the command at its time limit. A resumed run has used some of it.
func (r *runState) startTimeout() *time.Timer {
	over := &agent.TimeoutError{Limit: r.flags.limits.Wall}
	if r.recorded.resumed != nil {
		over.Elapsed = r.recorded.resumed.log.ActiveTime()
	}
	return time.AfterFunc(over.Limit-over.Elapsed, func() { r.console.abort(over) })
}

// openOutput checks the file of -o and makes it the output.
func openOutput(t *console, flags *resolvedFlags, rec *recordedRun) error {
	if flags.file == "" || flags.file == "-" || filepath.Clean(flags.file) == "/dev/stdout" {
		return nil
	}
	if flag := flagNamingRunFile(flags.file, flags, rec); flag != "" {
		return usagef("choose another file", "-o and %s are the same file: %s", flag, flags.file)
	}
	to, err := resolveOutputFile("-o", flags.file)
	if err == nil {
		t.file.Store(to)
	}
	return err
}

// flagNamingRunFile returns the flag that names a file as a run file, or "".
func flagNamingRunFile(name string, flags *resolvedFlags, rec *recordedRun) string {
	switch {
	case flags.record.file != "" && isSameFile(name, flags.record.file):
		return "--run-file"
	case rec.resumed != nil && isSameFile(name, rec.resumed.path):
		return "--resume"
	case rec.replay != nil && rec.replay.name != demo && isSameFile(name, rec.replay.file()):
		return "--model " + rec.replay.name
	}
	return ""
}

// openTools opens the environment of tools, which use adds to the configuration of a run. The caller has to call release.
func (p *sharedPlan) openTools(ctx context.Context) (use func(*agent.Config), release func(), err error) {
	env, release, err := p.access.openEnvironment(ctx, p.env, p.console, p.programs)
	if err != nil {
		return nil, nil, err
	}
	applyFileRules(&env, &p.policy)
	preview, beforeImage := env.PreviewCall, env.BeforeImage // without the secrets of requests
	var tools agent.Runner
	var runner *executor.Runner // nil without live tools
	switch {
	case p.flags.isReplay():
		beforeImage = nil
		tools = p.recorded.replay.tools()
	case p.tools != nil:
		env.Secret = p.secret
		runner = p.access.runner(p.env, p.tools, env)
		runner.UseCache(p.resultCache())
		tools = runner
	}
	return func(cfg *agent.Config) {
		if runner != nil && slices.ContainsFunc(cfg.History, isIntent) { // changes of the run may have made cached results stale
			runner.MarkChange()
		}
		if env.Root != nil {
			cfg.Resolve = env.Root.Resolve
		}
		cfg.Preview, cfg.BeforeImage, cfg.Runner = preview, beforeImage, tools
	}, release, nil
}

func isIntent(r runfile.Record) bool { _, ok := r.Body.(runfile.Intent); return ok }

// execute runs the agent, records it and prints the answer.
func (r *runState) execute(ctx context.Context, p *runPlan) error {
	use, release, err := p.openTools(ctx)
	if err != nil {
		return err
	}
	defer release()
	use(&p.config)
	p.stdin.noteUnread(p.env, p.console)
	defer p.stdin.noteUnread(p.env, p.console) // data may have arrived since
	w, err := r.startRecord(p)
	if err != nil {
		return err
	}
	p.programs.log(p.console, r.id)
	return r.perform(ctx, p.config, w, r.print)
}

// perform runs the agent, delivers the answer, and ends the record, if there is one.
func (r *runState) perform(ctx context.Context, cfg agent.Config, w *runfile.Writer, deliver func(context.Context) error) error {
	var to agent.Recorder
	if w != nil {
		to = appendTrackingRecorder{w, &r.hasNewRecords}
	}
	if r.batch != nil {
		to = &batchRecorder{Recorder: to}
	}
	if r.console.events.isActive() {
		to = eventRecorder{to, r.console.events}
	}
	if to != nil {
		cfg.Recorder = redactingRecorder{to, r.console.secrets}
	}
	cfg.ID, cfg.Observe = r.id, r.observe
	resume := r.resumeIfAbandoned()
	r.console.resume.Store(&resume)
	r.began = time.Now().Add(-cfg.Elapsed)
	err := r.runAgent(ctx, cfg, deliver)
	r.printSummary()
	if r.batch != nil && r.batch.concernsAll(err) {
		err = cutOff(err)
	}
	if w != nil {
		r.end(w, err)
	}
	return err
}

// runAgent runs the agent and delivers the answer. A panic becomes an error, so that the record says how the run ended.
func (r *runState) runAgent(ctx context.Context, cfg agent.Config, deliver func(context.Context) error) (err error) {
	defer recoverPanic(&err)
	if r.outcome, err = r.runWithStatus(ctx, cfg); err != nil {
		return r.withNextStep(withBudgetHint(err, cfg.Policy.Layers), cfg.NativeOnly)
	}
	if err := r.maskSecretsInAnswer(cfg.Schema); err != nil {
		return err
	}
	return deliver(ctx)
}

// runWithStatus runs the agent. Meanwhile the live line shows the status of the run, unless output that appears as the run works
// could be on the same terminal.
func (r *runState) runWithStatus(ctx context.Context, cfg agent.Config) (agent.Outcome, error) {
	events, _ := eventsPath(r.flags.events) // openEvents has checked it
	if r.console.canRedraw() && r.text == nil && r.flags.output != "events" && events != "/dev/fd/2" {
		r.status = newRunStatus(r.console, r.modelName(), r.began)
		defer r.status.show()()
	}
	return agent.Run(ctx, cfg)
}

// withNextStep adds a hint at the next step to the error of a run.
func (r *runState) withNextStep(err error, nativeOnly bool) error {
	switch {
	case nativeOnly && as[*provider.NoToolsError](err):
		return usagef(hintOf(err), "--dialect native: %w", err)
	case r.batch != nil:
		return withBatchHint(err, r.outcome.Effects)
	case isDemoMismatch(err):
		return &demoMismatchError{err}
	case as[*agent.ApprovalError](err):
		return &hintedError{err, r.approveHint(err)}
	case as[*agent.UnknownOutcomeError](err):
		return &hintedError{err, "check whether it took effect; to continue and tell the model that the outcome is unknown: " + r.resumeCommand(" --on-unknown-outcome report")}
	case as[*agent.NeedsError](err):
		return &hintedError{err, r.answerHint(err)}
	case r.recorded.resumed != nil && !r.hasNewRecords && isFinalVerdict(err):
		return &hintedError{err, "the run had already ended this way; start a new run"}
	case len(r.interrupted) > 0 && !r.flags.isReplay():
		return &hintedError{err, r.uncertainCalls()}
	}
	return err
}

// isFinalVerdict reports whether a resumed run without new records ends with the same error.
func isFinalVerdict(err error) bool {
	return as[*agent.DeniedError](err) || as[*agent.AllDeniedError](err) || as[*agent.ToolAuthError](err)
}

// uncertainCalls lists the calls that were cut off during a change.
func (r *runState) uncertainCalls() string {
	return "unknown outcome of " + strings.Join(r.interrupted, ", ")
}

// maskSecretsInAnswer masks secrets in the answer. The masked answer must fit the schema, too.
func (r *runState) maskSecretsInAnswer(s *schema.Schema) error {
	hidden := r.console.secrets.HideData(r.outcome.Answer)
	if bytes.Equal(hidden, r.outcome.Answer) {
		return nil
	}
	r.console.note("the answer contained a secret, masked as %s", redact.Mask)
	if s != nil && len(s.Check(hidden)) > 0 {
		r.outcome.Answer = nil
		return &findingsError{"the answer contains a secret and does not fit its schema once masked"}
	}
	r.outcome.Answer = hidden
	return nil
}

// end appends the last record and closes the run file. Its failure does not change the exit of a run: the answer was
// delivered, or an earlier error matters more.
func (r *runState) end(w *runfile.Writer, err error) {
	body, advice := r.console.endRecord(err), r.recovery(err)
	body.Agent = r.agentName()
	body.Retry, body.Retryable, body.Resume = advice.retry, advice.retryable, r.console.secrets.Redact(advice.resume)
	body.Cost, body.Models, body.Tools, body.Waited = r.cost(), r.outcome.Models, r.toolCounts(), r.outcome.Waited
	body.Usage, body.Turns, body.Calls, body.Labels = r.outcome.Usage, r.outcome.Turns, len(r.outcome.Calls), policy.LabelNames(r.outcome.Labels)
	body.Warnings = r.answerWarnings()
	body.Warnings = append(body.Warnings, r.console.events.finish(body)...)
	broken := redactingRecorder{w, r.console.secrets}.Append(body)
	if broken == nil {
		broken = w.Sync()
	}
	if closed := w.Close(); broken == nil { // after an error Close returns it again
		broken = closed
	}
	r.recordError = broken
	if broken != nil && err == nil && r.batch == nil {
		r.console.say(slog.LevelWarn, fmt.Sprintf("the answer was delivered, but the end of the run was not recorded: %v", broken))
	}
}

// agentName returns the name of the agent of the run, or "".
func (r *runState) agentName() string {
	switch {
	case r.recorded.resumed != nil && r.recorded.resumed.run.Agent != nil:
		return r.recorded.resumed.run.Agent.Name
	case r.recorded.agent != nil:
		return r.recorded.agent.title()
	}
	return ""
}

// print delivers the answer or envelope. If ctx ends while the reader blocks, print returns in time to write the last
// record.
func (r *runState) print(ctx context.Context) error {
	if r.flags.output == "events" {
		return r.console.events.writeLastEvent()
	}
	if r.text != nil && r.text.finishAnswer() {
		return r.console.out.err
	}
	doc, err := r.document()
	if err != nil {
		return err
	}
	err, _ = runWithGrace(ctx, grace/4, func() error { return r.console.writeOutput(doc) })
	return err
}

// document returns the output.
func (r *runState) document() ([]byte, error) {
	switch r.flags.output {
	case "envelope":
		// This precedes the end record, so that a run killed in between can be resumed and prints it. Main prints the
		// envelope of a failed run.
		r.console.envelope = r.envelope()
		r.console.delivered.Store(true)
		return r.console.envelopeFor(nil)
	case "text":
		text := plainText(r.outcome.Answer)
		if r.console.file.Load() == nil {
			text = r.console.forStdout(text)
		}
		return []byte(text + "\n"), nil
	}
	return append(diag.EscapeInvisibleJSON(compactJSON(r.outcome.Answer)), '\n'), nil
}
