package subprocess

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"testing"
	"time"
)

func TestOutput(t *testing.T) {
	for _, c := range []struct {
		script, stdin, want, fault string
	}{
		{`cat; echo "$1" "$HOME"`, "in\n", "in\nfirst \n", ""},
		{`head -c 65 /dev/zero`, "", "", "printed more than 64 bytes"},
		{`echo out; echo why >&2; exit 3`, "", "", "exit status 3: why"},
		{`yes why | head -c 100000 >&2; exit 3`, "", "", "exit status 3: "},
		{`kill -9 $$`, "", "", "signal: killed"},
		{`cat >/dev/null`, strings.Repeat("x", 1<<20), "", ""},
		{`exec 0<&-; sleep 0.05`, strings.Repeat("x", 1<<20), "", ""},
	} {
		out, err := shell.Output(t.Context(), strings.NewReader(c.stdin), 64, "-c", c.script, "sh", "first")
		if string(out) != c.want || (err == nil) != (c.fault == "") || err != nil && !strings.Contains(err.Error(), c.fault) {
			t.Errorf("%s: %q, %v", c.script, out, err)
		}
		if err != nil && len(err.Error()) > 2*maxStderrTail {
			t.Errorf("%s: an error of %d bytes", c.script, len(err.Error()))
		}
	}
	for _, p := range []Program{{}, {Path: "/nonexistent"}, {Err: exec.ErrNotFound}} {
		var failed *Error
		if _, err := p.Output(t.Context(), nil, 64); !errors.As(err, &failed) {
			t.Errorf("%+v: %v", p, err)
		}
	}
}

// A program that does not end is killed with its descendants.
func TestOutputEnds(t *testing.T) {
	late := errors.New("late")
	ctx, cancel := context.WithTimeoutCause(t.Context(), 50*time.Millisecond, late)
	defer cancel()
	begin := time.Now()
	if _, err := shell.Output(ctx, nil, 64, "-c", "sleep 30 & trap '' TERM; sleep 30"); !errors.Is(err, late) {
		t.Error(err)
	}
	if took := time.Since(begin); took > 20*time.Second {
		t.Errorf("it took %v", took)
	}
}
