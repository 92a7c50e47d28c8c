package cmd

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/fatih/color"

	"oneshot/pkg/diag"
	"oneshot/pkg/provider"
)

// logError writes the error that ended a command.
func (t *console) logError(err error, hint string, bug *panicError) {
	x := exitOf(err)
	r := t.recovery(err)
	attrs := []slog.Attr{slog.Int("exit", x.Code), slog.String("exit_name", x.Name), slog.String("retry", string(r.retry)), slog.Bool("retryable", r.retryable)}
	if r.resume != "" {
		attrs = append(attrs, slog.String("resume", r.resume))
	}
	if hint != "" {
		attrs = append(attrs, slog.String("hint", hint))
	}
	if bug != nil {
		attrs = append(attrs, slog.String("stack", string(bug.stack)))
	}
	t.write(slog.LevelError, err.Error(), attrs...)
}

// logFinding writes a finding with its code and place.
func (t *console) logFinding(f diag.Finding, more ...slog.Attr) {
	attrs := append(more, slog.String("code", string(f.Code)))
	if f.File != "" {
		attrs = append(attrs, slog.String("file", f.File))
	}
	if f.Span.Line > 0 {
		attrs = append(attrs, slog.Int("line", f.Span.Line), slog.Int("column", f.Span.Column))
	}
	if f.Hint != "" {
		attrs = append(attrs, slog.String("hint", f.Hint))
	}
	t.write(levelOf(f.Severity), f.Message, attrs...)
}

// levelOf returns the log level of a severity.
func levelOf(s diag.Severity) slog.Level {
	switch s {
	case diag.Error:
		return slog.LevelError
	case diag.Warning:
		return slog.LevelWarn
	}
	return slog.LevelInfo
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
	fmt.Fprintf(t.err, "%s %s\n", t.colorize(color.FgRed, "oneshot:"), escapeInvisible(message))
	if hint != "" {
		fmt.Fprint(t.err, t.hintLine(hint))
	}
	fmt.Fprint(t.err, escapeInvisible(diff))
	if bug != nil {
		fmt.Fprintf(t.err, "%s", bug.stack)
	}
}

// hintLine returns the line of a hint.
func (t *console) hintLine(hint string) string {
	return fmt.Sprintf("oneshot: %s %s\n", t.colorize(color.FgCyan, "hint:"), escapeInvisible(hint))
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

// milliseconds is a duration with its unit in the name.
func milliseconds(name string, d time.Duration) slog.Attr {
	return slog.Float64(name, float64(d.Microseconds())/1000)
}
