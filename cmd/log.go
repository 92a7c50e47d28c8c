package cmd

import (
	"log/slog"
	"strings"

	"oneshot/pkg/diag"
	"oneshot/pkg/redact"
)

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
				a.Value = slog.StringValue(visible(hidden.Redact(a.Value.String())))
			}
			return a
		},
	}))
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

// logFormat reads --log-format from a command line, even if the line is invalid: its error is logged, too.
func logFormat(args []string) string {
	format := "text"
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
