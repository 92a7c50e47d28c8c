package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync/atomic"

	"github.com/fatih/color"

	"oneshot/pkg/agent"
	"oneshot/pkg/diag"
	"oneshot/pkg/failpoint"
	"oneshot/pkg/provider"
	"oneshot/pkg/redact"
	"oneshot/pkg/subprocess"
)

// Human-readable messages go to stderr. An error is one line "oneshot: MESSAGE", in lower case without a full stop; a
// line "oneshot: hint: ACTION" may follow. Colour and progress appear only on a terminal. With --log-format json each
// line is a JSON object. Stdout carries data only.

// console writes messages to stderr and data to stdout.
type console struct {
	outputOptions
	err           io.Writer // masks secrets
	out           *output
	terminal      bool
	screen        bool         // stdout is a terminal
	noColor       bool         // the NO_COLOR convention
	log           *slog.Logger // for --log-format json
	secrets       *redact.Set  // masked in all output
	file          *atomic.Pointer[outputFile]
	parsedOptions *atomic.Pointer[outputOptions] // nil until the flags are parsed
	envelope      *envelope                      // the state of the run so far
	delivered     *atomic.Bool                   // the envelope of a successful run is or was being printed
	abort         context.CancelCauseFunc        // ends the command
	lock          io.Closer                      // of --lock, held to the end
	programs      *subprocess.Running            // of speech and browsers
	escaped       bool                           // the note about escapes was printed
	noted         bool                           // the note about ignored stdin was printed
	recovery      func(error) recovery           // from the error that ends the command
}

// outputOptions are the flags about stderr.
type outputOptions struct {
	color  string // auto, always or never
	format string // text or json
	quiet  bool
}

func newConsole(env Env) *console {
	hidden := new(redact.Set)
	return &console{
		outputOptions: outputOptions{color: "auto", format: logFormat(env.Args)},
		err:           redactingWriter{env.Stderr, hidden}, out: &output{w: env.Stdout}, terminal: env.Terminal, screen: env.Screen,
		noColor: env.Getenv("NO_COLOR") != "" || env.Getenv("TERM") == "dumb",
		log:     newLog(env, hidden), secrets: hidden,
		file: new(atomic.Pointer[outputFile]), parsedOptions: new(atomic.Pointer[outputOptions]), delivered: new(atomic.Bool),
		programs: new(subprocess.Running), recovery: recoveryOf,
	}
}

// fork returns a console to end the program with while an abandoned command may still use t.
func (t *console) fork(env Env) *console {
	next := newConsole(env)
	if m := t.parsedOptions.Load(); m != nil {
		next.outputOptions = *m
	}
	next.recovery = func(err error) recovery { // the state of the command is unknown
		r := recoveryOf(err)
		r.retryable = false
		return r
	}
	next.err, next.log, next.secrets, next.file, next.delivered = t.err, t.log, t.secrets, t.file, t.delivered
	return next
}

// check refuses unknown values of the flags about stderr.
func (t *console) check() error {
	switch t.color {
	case "auto", "always", "never":
	default:
		return usagef("use --color auto, always or never", "--color: unknown value %q", t.color)
	}
	switch t.format {
	case "text", "json":
	default:
		return usagef("use --log-format text or json", "--log-format: unknown value %q", t.format)
	}
	m := t.outputOptions
	t.parsedOptions.Store(&m)
	return nil
}

// note prints a message that is not an error.
func (t *console) note(format string, args ...any) {
	t.say(slog.LevelInfo, fmt.Sprintf(format, args...))
}

// say prints a message that is not an error. The attributes appear in JSON only.
func (t *console) say(level slog.Level, text string, attrs ...slog.Attr) {
	switch {
	case t.quiet:
	case t.format == "json":
		t.write(level, text, attrs...)
	default:
		fmt.Fprintf(t.err, "oneshot: %s\n", visible(text))
	}
}

// warn prints a warning and a hint, even with --quiet: the result would otherwise seem complete.
func (t *console) warn(hint, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if t.format == "json" {
		t.write(slog.LevelWarn, text, slog.String("hint", hint))
		return
	}
	fmt.Fprintf(t.err, "oneshot: warning: %s\noneshot: hint: %s\n", visible(text), visible(hint))
}

// progress prints a message on a terminal or in a log only. The text can be coloured.
func (t *console) progress(level slog.Level, text string, attrs ...slog.Attr) {
	t.logOnly(level, text, attrs...)
	if t.terminal && !t.quiet && t.format != "json" {
		fmt.Fprintf(t.err, "oneshot: %s\n", text)
	}
}

// logOnly prints a message in a log only.
func (t *console) logOnly(level slog.Level, text string, attrs ...slog.Attr) {
	if t.format == "json" {
		t.say(level, text, attrs...)
	}
}

// colorize colours text for a terminal on stderr.
func (t *console) colorize(attr color.Attribute, text string) string {
	if t.format == "json" || t.color == "never" || t.color == "auto" && (t.noColor || !t.terminal) {
		return text
	}
	c := color.New(attr)
	c.EnableColor()
	return c.Sprint(text)
}

// report prints the error that ended a command.
func (t *console) report(err error) {
	if err == nil || isClosedPipe(err) {
		return
	}
	hint, bug := hintOf(err), new(panicError)
	if !errors.As(err, &bug) {
		bug = nil
	}
	if t.format == "json" {
		t.logError(err, hint, bug)
		return
	}
	message, diff := withoutDiff(err)
	fmt.Fprintf(t.err, "%s %s\n", t.colorize(color.FgRed, "oneshot:"), visible(message))
	if hint != "" {
		fmt.Fprintf(t.err, "oneshot: hint: %s\n", visible(hint))
	}
	fmt.Fprint(t.err, visible(diff))
	if bug != nil {
		fmt.Fprintf(t.err, "%s", bug.stack)
	}
}

// withoutDiff splits the long diff of a replay from the message of an error.
func withoutDiff(err error) (message, diff string) {
	var replay *provider.ReplayError
	message = err.Error()
	if !errors.As(err, &replay) || replay.Diff == "" {
		return message, ""
	}
	if short, ok := strings.CutSuffix(message, ":\n"+replay.Diff); ok {
		return short, strings.TrimSuffix(replay.Diff, "\n") + "\n"
	}
	return message, ""
}

// hintOf returns the hint for an error, or "".
func hintOf(err error) string {
	var hinted *hintedError
	var usage *usageError
	var denied *agent.DeniedError
	var unauthorized *agent.UnauthorizedError
	var unfit *agent.AnswerError
	var limit *agent.LimitError
	var late *agent.TimeoutError
	var missing *missingSecretError
	var lost *secretError
	switch {
	case errors.As(err, &hinted):
		return hinted.hint
	case errors.As(err, &usage):
		return usage.hint
	case errors.As(err, &missing):
		return "set " + missing.names[0] + ", for example from a secret of the CI job"
	case errors.As(err, &lost):
		return lost.hint
	case as[noModelError](err):
		return hintNoModel
	case errors.As(err, &denied):
		return denied.Hint
	case errors.As(err, &unfit) && unfit.Default:
		return "set another schema with --schema FILE, or accept plain text with --output text"
	case errors.As(err, &limit) && limit.Why != "":
		return "raise budget." + limit.Budget + " in the policy"
	case errors.As(err, &unauthorized):
		return cmp.Or(unauthorized.Hint, "renew the authorisation; the definition has no key renew that says how")
	case errors.As(err, &late) && late.Elapsed > 0:
		return "raise --timeout, or budget.wall in the policy"
	case errors.As(err, &limit):
		return "raise it with " + maxFlag(limit)
	}
	return hintOfModel(err)
}

// maxFlag returns the flag that sets a budget.
func maxFlag(limit *agent.LimitError) string {
	return "--max-" + strings.NewReplacer("tokens", "total-tokens", "repeats", "identical-calls").Replace(limit.Budget)
}

// forStdout returns a text for stdout, with control characters escaped if stdout is a terminal.
func (t *console) forStdout(text string) string {
	if t.screen {
		return visible(text)
	}
	return text
}

// deliverFixed prints a part of a fixed text, byte for byte unless stdout is a terminal.
func (t *console) deliverFixed(text []byte) error {
	shown := t.forStdout(string(text))
	if shown != string(text) && !t.escaped {
		t.note("control characters are shown as escapes; redirect stdout for the exact bytes")
		t.escaped = true
	}
	_, err := io.WriteString(t.out, shown)
	return err
}

// visible escapes characters that a terminal would interpret.
func visible(s string) string { return diag.EscapeInvisible(s) }

// output is stdout. It keeps the error of the first failed write, so that no command succeeds after losing data.
type output struct {
	w   io.Writer
	err error
}

func (o *output) Write(p []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := failpoint.Write("write to stdout", o.w, p)
	if err != nil {
		o.err = &outputError{err}
		return n, o.err
	}
	return n, nil
}
