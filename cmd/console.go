package cmd

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/fatih/color"

	"oneshot/pkg/diag"
	"oneshot/pkg/failpoint"
	"oneshot/pkg/redact"
	"oneshot/pkg/runfile"
	"oneshot/pkg/subprocess"
)

// Human-readable messages go to stderr. An error is one line "oneshot: MESSAGE", in lower case without a full stop; a
// line "oneshot: hint: ACTION" may follow. Colour appears on a terminal or with --color always, progress on a terminal or with
// --verbose. With --log-format json each line is a JSON object. Stdout carries data only.

// console writes messages to stderr and data to stdout.
type console struct {
	outputOptions
	err           io.Writer // masks secrets
	live          *liveLine // below err
	out           *output
	terminal      bool
	screen        bool         // stdout is a terminal
	isDumb        bool         // the terminal cannot erase a line
	noColor       bool         // the NO_COLOR convention
	log           *slog.Logger // for --log-format json
	secrets       *redact.Set  // masked in all output
	file          *atomic.Pointer[outputFile]
	parsedOptions *atomic.Pointer[outputOptions] // nil until the flags are parsed
	events        *runEvents                     // of the run
	envelope      *envelope                      // the state of the run so far
	delivered     *atomic.Bool                   // the document of a successful run is or was being printed
	resume        *atomic.Pointer[string]        // the command that resumes the run; nil before it starts, "" without a record
	abort         context.CancelCauseFunc        // ends the command
	lock          io.Closer                      // of --lock, held to the end
	programs      *subprocess.Running            // of speech and browsers
	escaped       bool                           // the note about escapes was printed
	noted         bool                           // the note about ignored stdin was printed
	defaults      userDefaults                   // of the environment and config.yaml
	recovery      func(error) recovery           // from the error that ends the command

	terminalColumns func(termStream) int // see [console.columnsOf]
}

// outputOptions are the flags about stderr and colour.
type outputOptions struct {
	color  string // auto, always or never
	format string // text or json
	quiet  bool
	// verbose prints progress even if stderr is not a terminal. Only a run sets it.
	verbose bool
}

func newConsole(env Env) *console {
	hidden, live, isDumb := new(redact.Set), &liveLine{to: env.Stderr, isBackground: env.isBackgroundJob}, env.Getenv("TERM") == "dumb"
	return &console{
		outputOptions: outputOptions{color: "auto", format: cmp.Or(logFormat(env.Args), "text")},
		err:           redactingWriter{live, hidden}, live: live, out: &output{w: env.Stdout}, terminal: env.Terminal, screen: env.Screen,
		isDumb: isDumb, noColor: env.Getenv("NO_COLOR") != "" || isDumb,
		log: newLog(env, hidden), secrets: hidden, events: &runEvents{secrets: hidden},
		file: new(atomic.Pointer[outputFile]), parsedOptions: new(atomic.Pointer[outputOptions]), delivered: new(atomic.Bool), resume: new(atomic.Pointer[string]),
		programs: new(subprocess.Running), recovery: recoveryWithoutEffects,
		terminalColumns: env.terminalColumns,
	}
}

// forkForExit returns a console with which the program can end while an abandoned command may still use t.
func (t *console) forkForExit(env Env) *console {
	next := newConsole(env)
	if m := t.parsedOptions.Load(); m != nil {
		next.outputOptions = *m
	}
	next.recovery = func(err error) recovery { // the state of the command is unknown
		r := recoveryWithoutEffects(err)
		r.retryable = false
		if resume := t.resume.Load(); resume != nil { // a change may be under way
			r.retry, r.resume = runfile.RetryByHand, *resume
		}
		return r
	}
	next.err, next.live, next.log, next.secrets, next.events, next.file, next.delivered, next.resume = t.err, t.live, t.log, t.secrets, t.events, t.file, t.delivered, t.resume
	return next
}

// checkOutputFlags refuses unknown values of the flags about stderr.
func (t *console) checkOutputFlags() error {
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
		fmt.Fprintf(t.err, "oneshot: %s\n", escapeInvisible(text))
	}
}

// warn prints a warning and a hint, even with --quiet: the result would otherwise seem complete.
func (t *console) warn(hint, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if t.format == "json" {
		t.write(slog.LevelWarn, text, slog.String("hint", hint))
		return
	}
	fmt.Fprintf(t.err, "oneshot: %s %s\n%s", t.colorize(color.FgYellow, "warning:"), escapeInvisible(text), t.hintLine(hint))
}

// applyVerbose makes --verbose or its default effective. The flag beats a default of --quiet.
func (t *console) applyVerbose(flags *resolvedFlags) error {
	t.verbose = flags.verbose
	if !flags.isSet("verbose") { // a resumed run or a replay takes no other default
		t.verbose, _ = strconv.ParseBool(t.defaults.console("verbose")) // "" or a valid value
	}
	if !flags.isGiven("verbose") || !t.verbose || !t.quiet {
		return nil
	}
	if flags.isGiven("quiet") {
		return usagef("omit one of them", "--verbose cannot be combined with --quiet")
	}
	t.quiet = false
	return nil
}

// hasProgress reports whether progress is printed as lines of text.
func (t *console) hasProgress() bool {
	return (t.terminal || t.verbose) && !t.quiet && t.format != "json"
}

// canRedraw reports whether stderr can have a live line. In the background it would overwrite the line that the user types.
func (t *console) canRedraw() bool {
	return t.terminal && !t.isDumb && !t.quiet && t.format != "json" && !t.live.isInBackground()
}

// progress prints a message as [console.hasProgress] says, or in a log. The text can be coloured.
func (t *console) progress(level slog.Level, text string, attrs ...slog.Attr) {
	t.logOnly(level, text, attrs...)
	if t.hasProgress() {
		fmt.Fprintf(t.err, "oneshot: %s\n", text)
	}
}

// logOnly prints a message in a log only.
func (t *console) logOnly(level slog.Level, text string, attrs ...slog.Attr) {
	if t.format == "json" {
		t.say(level, text, attrs...)
	}
}

// hasColor reports whether text for people is coloured on a stream.
func (t *console) hasColor(s termStream) bool {
	if t.color == "never" || s == onStderr && t.format == "json" {
		return false
	}
	return t.color == "always" || t.isTerminal(s) && !t.noColor
}

// colorize colours text for stderr, if that is coloured.
func (t *console) colorize(attr color.Attribute, text string) string {
	if !t.hasColor(onStderr) {
		return text
	}
	return colored(attr, text)
}

// colored returns text in a colour, 0 for none.
func colored(attr color.Attribute, text string) string {
	if attr == 0 || text == "" {
		return text
	}
	c := color.New(attr)
	c.EnableColor()
	return c.Sprint(text)
}

// forStdout returns a text for stdout, with control characters escaped if stdout is a terminal.
func (t *console) forStdout(text string) string {
	if t.screen {
		return escapeInvisible(text)
	}
	return text
}

// writeLive writes a part of the output while the command runs. An error, or a reader that blocks although the command ends,
// aborts it.
func (t *console) writeLive(ctx context.Context, part []byte) error {
	err, _ := runWithGrace(ctx, grace/4, func() error { _, err := t.out.Write(part); return err })
	if err != nil {
		t.abort(err)
	}
	return err
}

// writeVerbatim prints a text, byte for byte unless stdout is a terminal.
func (t *console) writeVerbatim(text []byte) error {
	_, err := io.WriteString(t.out, t.verbatim(text))
	return err
}

// verbatim returns a part of a text in its form for stdout: on a terminal, control characters are escaped, which it notes once.
func (t *console) verbatim(text []byte) string {
	shown := t.forStdout(string(text))
	if shown != string(text) && !t.escaped {
		t.note("control characters are shown as escapes; redirect stdout for the exact bytes")
		t.escaped = true
	}
	return shown
}

// escapeInvisible escapes characters that a terminal would interpret.
func escapeInvisible(s string) string { return diag.EscapeInvisible(s) }

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

// write writes one JSON line.
func (t *console) write(level slog.Level, text string, attrs ...slog.Attr) {
	args := make([]any, len(attrs))
	for i, a := range attrs {
		args[i] = a
	}
	switch level {
	case slog.LevelDebug:
		t.log.Debug(text, args...)
	case slog.LevelWarn:
		t.log.Warn(text, args...)
	case slog.LevelError:
		t.log.Error(text, args...)
	default:
		t.log.Info(text, args...)
	}
}

// applyDefaults sets the flags about stderr from the environment and config.yaml; the command line can replace them. Invalid
// defaults are an error only for commands that use other defaults.
func (t *console) applyDefaults(env Env) {
	t.defaults = loadDefaults(env, t)
	t.color = cmp.Or(t.defaults.console("color"), t.color)
	t.quiet = t.defaults.console("quiet") == "true"
}

// logFormat reads --log-format from a command line, even if the line is invalid: its error is logged, too. It returns ""
// without the flag.
func logFormat(args []string) (format string) {
	for i, arg := range args {
		value, joined := strings.CutPrefix(arg, "--log-format=")
		switch {
		case arg == "--":
			return format
		case joined:
			format = value
		case arg == "--log-format" && i+1 < len(args):
			format = args[i+1]
		}
	}
	return format
}

// newLog returns the writer of JSON lines: "time" with its zone, "level", "msg" and attributes. One line is one write.
// Secrets are masked.
func newLog(env Env, hidden *redact.Set) *slog.Logger {
	return slog.New(slog.NewJSONHandler(env.Stderr, &slog.HandlerOptions{
		Level: slog.LevelDebug,
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			switch {
			case a.Key == slog.TimeKey:
				a.Value = slog.TimeValue(env.Now())
			case a.Value.Kind() == slog.KindString:
				a.Value = slog.StringValue(escapeInvisible(hidden.Redact(a.Value.String())))
			}
			return a
		},
	}))
}

// writeOutput writes the document of a command to stdout, or to the file of -o.
func (t *console) writeOutput(doc []byte) error {
	to := t.file.Load()
	if to == nil {
		_, err := t.out.Write(doc)
		return err
	}
	return to.writeOutput(doc)
}

// A redactingWriter masks secrets, and anything that looks like a key, within each Write.
type redactingWriter struct {
	to      io.Writer
	secrets *redact.Set
}

func (w redactingWriter) Write(p []byte) (int, error) {
	if _, err := io.WriteString(w.to, w.secrets.Redact(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}
