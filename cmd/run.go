package cmd

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"oneshot/pkg/agent"
	"oneshot/pkg/diag"
	"oneshot/pkg/dialect"
	"oneshot/pkg/policy"
	"oneshot/pkg/provider"
	"oneshot/pkg/redact"
	"oneshot/pkg/runfile"
	"oneshot/pkg/schema"
)

// runOptions are the flags of "oneshot run".
type runOptions struct {
	env     Env
	console *console

	options

	findingsOf     int // the turn that findings counts
	findings       int
	outcome        agent.Outcome
	runID, runPath string
	resumed        *resumed     // the resumed run, or nil
	replayed       *runfile.Run // a replayed run that provides prompt and input, or nil
	toolsOf        *runfile.Run // a replayed run that provides the tools, or nil
	currentEnv     *Env         // of the command that resumes a run, or nil
	hasNewRecords  bool         // something new was recorded
	interrupted    []string     // calls with unknown outcome
	programs       *confined
	secret         func(name string) string // for requests of tools
	secretFlags    []string                 // flags to repeat with --resume
	runnable       []string                 // paths of programs
	set            *pflag.FlagSet
}

func newRun(env Env, t *console) *cobra.Command {
	o := &runOptions{env: env, console: t, options: options{limits: agent.DefaultLimits()}}
	c := &cobra.Command{
		Use:   "run [flags] [PROMPT|-]",
		Short: "Run a prompt with tools and print the answer as JSON",
		Long: `Run sends a prompt to a model, runs the tools it calls, and prints the final answer
as one JSON document on stdout. Progress, warnings and errors go to stderr. A pipe or
file on stdin is read as input without a flag; --no-stdin turns that off.`,
		Example: `  oneshot run --model demo --tool 'vault_*' --tool file_read --root testdata/vault --schema testdata/readme/todo.schema.json 'What is left to do before release 0.2?'
  oneshot run --model ollama/qwen3:8b --tool wget --schema digest.schema.json --prompt-file ask.md`,
		Args: atMost(1, "quote a prompt that contains spaces"),
		RunE: func(c *cobra.Command, args []string) error { return o.run(c.Context(), args) },
	}
	o.define(c, env, forRun)
	o.set, o.model.set = c.Flags(), c.Flags()
	c.SetUsageFunc(printGroupedUsage)
	return c
}

// garbageLimit is the heap size from which garbage is collected eagerly, so that a long reply does not use several
// times its size.
const garbageLimit = 128 << 20

// run is the command. It finds all errors it can before the first request.
func (o *runOptions) run(ctx context.Context, args []string) error {
	if debug.SetMemoryLimit(-1) == math.MaxInt64 { // GOMEMLIMIT is not set
		debug.SetMemoryLimit(garbageLimit)
	}
	defer func() { o.console.envelope, o.console.recovery = o.envelope(), o.recovery }()
	if o.record.resume != "" {
		if err := o.loadResumed(args); err != nil {
			return err
		}
		defer o.resumed.w.Close() // even if the run does not finish
	}
	if err := o.loadReplayed(args); err != nil {
		return err
	}
	if err := o.openOutput(); err != nil {
		return err
	}
	if err := errors.Join(o.check(), o.checkText(args), o.console.checkOutput()); err != nil {
		return err
	}
	wall := o.startTimeout()
	context.AfterFunc(ctx, func() { wall.Stop() }) // it applies until the answer is delivered
	o.console.hideKeys(o.env)
	o.model.servers.secrets.played = o.isReplay()
	if err := o.model.servers.secrets.load(ctx, o.env, o.console); err != nil {
		return causeOr(ctx, err)
	}
	cfg, err := o.config(ctx, args)
	if err != nil {
		return causeOr(ctx, err)
	}
	if o.lock != "" && !o.dryRun {
		if o.console.lock, err = takeLock(o.env, o.lock); err != nil {
			return err
		}
	}
	o.model.shared = !o.dryRun
	if err := o.model.configure(ctx, o.env, o.console, &cfg); err != nil {
		return causeOr(ctx, err)
	}
	if err := o.finishConfig(ctx, &cfg); err != nil {
		return err
	}
	if err := o.checkFirstRequest(cfg); err != nil || o.dryRun {
		return err
	}
	release, err := o.openTools(ctx, &cfg)
	if err != nil {
		return err
	}
	defer release()
	o.prompt.input.noteUnread(o.env, o.console)
	defer o.prompt.input.noteUnread(o.env, o.console) // data may have arrived since
	return o.withResumeHint(o.model.withModelHint(o.runAgent(ctx, cfg)))
}

// finishConfig adds settings that depend on the models, and reads a stdin without a flag, which can take time.
func (o *runOptions) finishConfig(ctx context.Context, cfg *agent.Config) (err error) {
	if err := o.setNonce(cfg); err != nil {
		return err
	}
	if cfg.UserAnswers, err = o.answers.read(o.console.secrets, o.resumed); err != nil {
		return err
	}
	if err := o.prompt.input.addUnnamed(ctx, o.env, o.console, &cfg.Input); err != nil {
		return causeOr(ctx, err)
	}
	if o.dryRun {
		cfg.Seed = drySeed(*cfg)
	}
	o.hidePrompt(cfg)
	if o.resumed != nil {
		if err := o.resumed.applyTo(cfg, o); err != nil {
			return err
		}
	}
	if err := o.clock(cfg); err != nil {
		return err
	}
	if o.programs != nil {
		o.programs.Zone = o.zone
	}
	return o.setApprovers(cfg)
}

// causeOr returns the cause of ctx if ctx has ended, and err otherwise.
func causeOr(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil && !errors.Is(err, cause) {
		return cause
	}
	return err
}

// startTimeout aborts the command at its time limit. A resumed run has used some of it.
func (o *runOptions) startTimeout() *time.Timer {
	over := &agent.TimeoutError{Limit: o.limits.Wall}
	if o.resumed != nil {
		over.Elapsed = o.resumed.spent
	}
	return time.AfterFunc(over.Limit-over.Elapsed, func() { o.console.abort(over) })
}

// config builds the configuration of the run, except for the environment of tools.
func (o *runOptions) config(ctx context.Context, args []string) (agent.Config, error) {
	cfg := agent.Config{
		GateConfig: agent.GateConfig{
			Limits: o.limits, ContinueDenied: o.onDenied == "continue", ReportUnknownOutcome: o.onUnknown == "report", Observe: o.observe,
		},
		Texts: o.env.Prompts, AnswerDescription: o.describe, RequiredTools: o.require,
	}
	var err error
	if cfg.Tools, err = o.tools.forRun(o.env, o.console); err != nil {
		return cfg, err
	}
	if err = o.checkNames(cfg.Tools); err != nil {
		return cfg, err
	}
	o.policy.played = o.isReplay()
	if cfg.Policy, err = o.policy.load(o.env, o.console, o.tools, o.confine.earlyHosts()); err != nil {
		return cfg, err
	}
	o.confine.records = o.recordFiles()
	if err = o.confine.checkRoot(); err != nil {
		return cfg, err
	}
	cfg.Policy = o.confine.resolveFileRules(cfg.Policy)
	applyBudgets(&cfg.Limits, cfg.Policy.Layers)
	if cfg.Tools, err = o.usable(cfg.Tools, &cfg.Policy); err != nil {
		return cfg, err
	}
	if cfg.Tools != nil {
		o.runnable = programPaths(cfg.Policy, cfg.Tools.All())
	}
	if cfg.Tools != nil && !o.isReplay() {
		if o.programs, err = o.confine.programs(o.console, cfg.Policy, cfg.Tools.All(), o.protectedFiles(), o.tools.files()); err != nil {
			return cfg, err
		}
		if o.secret, err = o.model.servers.secrets.forTools(cfg.Tools.All()); err != nil {
			return cfg, err
		}
	}
	cfg.AskUser = cfg.Tools != nil
	if cfg.Schema, err = loadSchema(o.console, o.schema); err != nil {
		return cfg, err
	}
	cfg.TextAnswer = cfg.Schema == nil && o.output == "text"
	if slices.ContainsFunc(o.model.names, isRecording) {
		o.prompt.input.replayed = "a replay reads it only with --input -"
	}
	if o.resumed != nil {
		o.prompt.input.replayed = "a resumed run uses its recorded input"
		return cfg, o.prompt.restore(ctx, o.env, &cfg, o.resumed.run)
	}
	if o.replayed != nil {
		o.prompt.input.sources = o.replayed.InputSources
		return cfg, o.prompt.restore(ctx, o.env, &cfg, *o.replayed)
	}
	return cfg, o.prompt.load(ctx, o.env, args, &cfg)
}

// isSameFile reports whether two names refer to the same file, which may not exist yet.
func isSameFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	if errX == nil && errY == nil {
		return os.SameFile(x, y)
	}
	return absPath(a) == absPath(b)
}

// absPath returns the absolute path of a file, with links in its directory resolved.
func absPath(name string) string {
	if abs, err := filepath.Abs(name); err == nil {
		name = abs
	}
	dir, base := filepath.Split(name)
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	return filepath.Join(dir, base)
}

// openOutput checks the file of -o and makes it the output.
func (o *runOptions) openOutput() error {
	if o.file == "" || o.file == "-" || filepath.Clean(o.file) == "/dev/stdout" {
		return nil
	}
	if flag := o.recordFlagFor(o.file); flag != "" {
		return usagef("choose another file", "-o and %s are the same file: %s", flag, o.file)
	}
	to, err := newOutputFile("-o", o.file)
	if err == nil {
		o.console.file.Store(to)
	}
	return err
}

// recordFlagFor returns the flag that names a file as a run file, or "".
func (o *runOptions) recordFlagFor(name string) string {
	switch {
	case o.record.file != "" && isSameFile(name, o.record.file):
		return "--run-file"
	case o.resumed != nil && isSameFile(name, o.resumed.path):
		return "--resume"
	}
	for _, m := range o.model.names {
		if file, ok := strings.CutPrefix(m, "replay:"); ok && isSameFile(name, file) {
			return "--model " + m
		}
	}
	return ""
}

// clock sets the time of the run: from flags, else from the recording, else from the clock.
func (o *runOptions) clock(cfg *agent.Config) error {
	if cfg.Now.IsZero() {
		now := o.env.Now()
		name, _ := now.Zone()
		cfg.Now = runfile.InZone(now, name) // the machine's own zone is called "Local", which says nothing
	}
	if o.now != "" {
		t, err := time.Parse(time.RFC3339, o.now)
		if err != nil {
			return usagef("for example --now 2026-11-21T09:30:00+01:00", "--now: %q is not an RFC 3339 time", o.now)
		}
		cfg.Now = runfile.InZone(t, t.Format("MST"))
	}
	if o.zone != "" {
		zone, err := time.LoadLocation(o.zone)
		if err != nil {
			return usagef("for example --tz Europe/Berlin", "--tz: unknown time zone %q", o.zone)
		}
		cfg.Now = cfg.Now.In(zone)
	}
	return nil
}

// setApprovers sets who answers questions of tools and approves calls. A replay also replays these answers.
func (o *runOptions) setApprovers(cfg *agent.Config) (err error) {
	if !o.isReplay() {
		if o.approve.who == "tty" {
			cfg.PromptUser = o.console.askTerminal
		}
		cfg.Approver, err = o.approve.approver(o.env, o.console, o.model.chosen)
		return err
	}
	cfg.Replay, cfg.Approver = true, newRecordedApprover(o.model.log)
	if len(cfg.UserAnswers) == 0 {
		cfg.RecordedUserInput = o.model.recordedUserInput()
	}
	return nil
}

// openTools creates the environment of tools. The caller has to call release.
func (o *runOptions) openTools(ctx context.Context, cfg *agent.Config) (release func(), err error) {
	env, release, err := o.confine.open(ctx, o.env, o.console, o.programs, o.protectedFiles(), o.tools.files())
	if err != nil {
		return nil, err
	}
	applyFileRules(&env, &cfg.Policy)
	if env.Root != nil {
		cfg.Resolve = env.Root.Resolve
	}
	cfg.Preview = env.Preview
	if o.isReplay() {
		cfg.Runner = o.model.recordedTools()
		return release, nil
	}
	cfg.FileBefore = env.Before
	if cfg.Tools != nil {
		env.Secret = o.secret
		cfg.Runner = o.confine.runner(o.env, cfg.Tools, env)
	}
	return release, nil
}

// runAgent runs the agent, records it and prints the answer.
func (o *runOptions) runAgent(ctx context.Context, cfg agent.Config) (err error) {
	w, err := o.record.create(o.env, cfg, o)
	if err != nil {
		return err
	}
	if w != nil {
		cfg.Recorder = redactingRecorder{noticingRecorder{w, &o.hasNewRecords}, o.console.secrets}
		defer func() { err = o.end(w, err) }()
	}
	cfg.ID = o.runID
	defer recoverPanic(&err) // so that the record says how it ended
	o.programs.log(o.console, o.runID)
	o.outcome, err = agent.Run(ctx, cfg)
	err = withBudgetHint(err, cfg.Policy.Layers)
	switch {
	case cfg.NativeOnly && as[*provider.NoToolsError](err):
		return usagef(hintOf(err), "--dialect native: %w", err)
	case as[*agent.ApprovalError](err):
		return &hintedError{err, o.approveHint(err)}
	case as[*agent.UnknownOutcomeError](err):
		return &hintedError{err, "check whether it took effect; to continue and tell the model that the outcome is unknown: " + o.resumeCommand(" --on-unknown-outcome report")}
	case as[*agent.NeedsError](err):
		return &hintedError{err, o.answerHint(err)}
	case o.resumed != nil && !o.hasNewRecords && isFinalVerdict(err):
		return &hintedError{err, "the run had already ended this way; start a new run"}
	case err != nil && len(o.interrupted) > 0 && !o.isReplay():
		return &hintedError{err, o.inDoubt()}
	case err != nil:
		return err
	}
	if err := o.hideAnswer(cfg.Schema); err != nil {
		return err
	}
	return o.print(ctx)
}

// isFinalVerdict reports whether a resumed run without new records ends with the same error.
func isFinalVerdict(err error) bool {
	return as[*agent.DeniedError](err) || as[*agent.AllDeniedError](err) || as[*agent.UnauthorizedError](err)
}

// inDoubt lists the calls that were cut off during a change.
func (o *runOptions) inDoubt() string {
	return "unknown outcome of " + strings.Join(o.interrupted, ", ")
}

// hidePrompt masks secrets in the texts for the model, and makes the policy deny calls that contain one.
func (o *runOptions) hidePrompt(cfg *agent.Config) {
	cfg.Policy.Secrets = o.console.secrets
	held := false
	for _, text := range []*string{&cfg.System, &cfg.Prompt, &cfg.Input, &cfg.AnswerDescription} {
		hidden := o.console.secrets.Hide(*text)
		held, *text = held || hidden != *text, hidden
	}
	if held {
		o.console.note("the prompt or its input contained a secret, masked as %s", redact.Mask)
	}
}

// hideAnswer masks secrets in the answer. The masked answer must fit the schema, too.
func (o *runOptions) hideAnswer(s *schema.Schema) error {
	hidden := o.console.secrets.HideJSON(o.outcome.Answer)
	if bytes.Equal(hidden, o.outcome.Answer) {
		return nil
	}
	o.console.note("the answer contained a secret, masked as %s", redact.Mask)
	if s != nil && len(s.Check(hidden)) > 0 {
		o.outcome.Answer = nil
		return &findingsError{"the answer contains a secret and does not fit its schema once masked"}
	}
	o.outcome.Answer = hidden
	return nil
}

// finish appends the last record and closes the run file. Its failure does not change the exit: the answer was delivered,
// or an earlier error matters more.
func (o *runOptions) end(w *runfile.Writer, err error) error {
	e := exitOf(err)
	r := o.recovery(err)
	body := runfile.End{Exit: e.Code, Name: e.Name, Retry: r.retry, Retryable: r.retryable, Resume: o.console.secrets.Redact(r.resume), Usage: o.outcome.Usage, Turns: o.outcome.Turns, Calls: len(o.outcome.Calls), Labels: policy.LabelNames(o.outcome.Labels)}
	if err != nil {
		body.Why = o.console.secrets.Redact(err.Error())
	}
	broken := w.Append(body)
	if broken == nil {
		broken = w.Sync()
	}
	if closed := w.Close(); broken == nil { // after an error Close returns it again
		broken = closed
	}
	if broken != nil && err == nil {
		o.console.say(slog.LevelWarn, fmt.Sprintf("the answer was delivered, but the end of the run was not recorded: %v", broken))
	}
	return err
}

// print delivers the answer or envelope. If ctx ends while the reader blocks, print returns in time to write the last
// record.
func (o *runOptions) print(ctx context.Context) error {
	doc, err := o.document()
	if err != nil {
		return err
	}
	err, _ = runWithGrace(ctx, grace/4, func() error { return o.console.writeOutput(doc) })
	return err
}

// document returns the output.
func (o *runOptions) document() ([]byte, error) {
	switch o.output {
	case "envelope":
		// This precedes the end record, so that a run killed in between can be resumed and prints it. Main prints the
		// envelope of a failed run.
		o.console.envelope = o.envelope()
		o.console.delivered.Store(true)
		return o.console.envelopeFor(nil)
	case "text":
		text := plainText(o.outcome.Answer)
		if o.console.file.Load() == nil {
			text = o.console.forStdout(text)
		}
		return []byte(text + "\n"), nil
	}
	return append(diag.EscapeInvisibleJSON(compactJSON(o.outcome.Answer)), '\n'), nil
}

// taughtFlag returns the dialect that the prompt teaches for a --dialect flag.
func taughtFlag(name string) (dialect.Dialect, error) {
	if name == "auto" || name == native {
		name = "tool" // for models without native calls
	}
	d, err := dialectFlag(name)
	if err == nil && !d.IsTeachable() {
		return d, usagef("use auto, native, tool or toolcalls", "--dialect: %s can be parsed, but no prompt teaches it", d.Name)
	}
	return d, err
}

// dialectFlag returns the dialect that a --dialect flag names. Besides are other values that the flag accepts.
func dialectFlag(name string, besides ...string) (dialect.Dialect, error) {
	d, ok := dialect.Lookup(name)
	if !ok {
		hint := cmp.Or(dialect.DidYouMean(name, besides...), "oneshot parse --list-dialects lists them")
		return d, usagef(hint, "--dialect: unknown dialect %q", name)
	}
	return d, nil
}

// loadSchema reads a schema from a file, or from the flag itself if it is a JSON object, and prints its findings.
func loadSchema(t *console, path string) (*schema.Schema, error) {
	if path == "" {
		return nil, nil
	}
	if raw := []byte(path); strings.HasPrefix(strings.TrimSpace(path), "{") {
		s, findings := schema.Compile("--schema", raw)
		t.findings(findings, map[string]diag.Text{"--schema": {Bytes: raw}})
		if s == nil {
			return nil, usagef("for example --schema '{\"type\": \"object\"}', or --schema FILE", "--schema is not a usable JSON Schema")
		}
		return s, nil
	}
	raw, err := readFlag("--schema", path)
	if err != nil {
		return nil, err
	}
	s, findings := schema.Compile(path, raw)
	t.findings(findings, map[string]diag.Text{path: {Bytes: raw}})
	if s == nil {
		return nil, usagef("oneshot validate "+path+" repeats the check", "--schema: %s is not a usable JSON Schema", path)
	}
	return s, nil
}
