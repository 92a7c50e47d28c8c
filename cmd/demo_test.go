package cmd

import (
	"context"
	"os"
	"syscall"
	"testing"

	"oneshot/prompts"
	"oneshot/tooldefs"
)

// An interruptingWriter interrupts the command that writes to it.
type interruptingWriter struct{ interrupt context.CancelCauseFunc }

func (w interruptingWriter) Write(p []byte) (int, error) {
	w.interrupt(&InterruptError{syscall.SIGINT})
	return len(p), nil
}

// A demo that a signal ends removes its temporary folder, too.
func TestDemoInterrupted(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	ctx, interrupt := context.WithCancelCause(t.Context())
	defer interrupt(nil)
	env, stdout, _ := testEnv("demo", "--no-run-file")
	env.Tools, env.Prompts, env.Stderr = tooldefs.FS, prompts.FS, interruptingWriter{interrupt} // its first message precedes the run
	if code := Main(ctx, env); code != 130 || stdout.Len() > 0 {
		t.Errorf("exit code %d, want 130; stdout: %s", code, stdout)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Errorf("left in the folder for temporary files: %v (%v)", left, err)
	}
}
