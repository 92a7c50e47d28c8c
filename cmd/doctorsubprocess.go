package cmd

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"oneshot/pkg/policy"
	"oneshot/pkg/subprocess"
)

// programs checks whether tools can run programs.
func (o *doctorOptions) programs(ctx context.Context) check {
	return tryProgram(ctx, &subprocess.Confinement{}, "can run, and are killed with all their descendants",
		"a run with tools that run programs exits 2 here")
}

// sandbox checks whether the kernel can confine programs.
func (o *doctorOptions) sandbox(ctx context.Context) check {
	box, err := (&confineOptions{}).sandbox(policy.Sandbox{})
	if err != nil {
		return check{Status: warning, Detail: err.Error()}
	}
	return tryProgram(ctx, &subprocess.Confinement{Sandboxes: []subprocess.Sandbox{box}}, describeSupport(subprocess.Supported()),
		"a run whose policy has programs.sandbox exits 2 here, unless it sets missing: ignore")
}

// tryProgram runs true in a confinement.
func tryProgram(ctx context.Context, c *subprocess.Confinement, works, hint string) check {
	c.Helper = reexecPath
	dir, err := os.Open(os.TempDir())
	if err != nil {
		return check{Status: warning, Detail: err.Error(), Hint: "set TMPDIR to a directory for temporary files"}
	}
	defer dir.Close()
	if err := c.Check(); err != nil {
		return check{Status: warning, Detail: err.Error(), Hint: hint}
	}
	out, err := c.Run(ctx, subprocess.Command{Argv: []string{"true"}, Dir: dir})
	start := new(subprocess.StartError)
	switch {
	case errors.As(err, &start) && start.Kind == subprocess.NotFound:
		return check{Status: skipped, Detail: "no program to test it with: " + err.Error()}
	case err != nil:
		return check{Status: warning, Detail: err.Error(), Hint: hint}
	case out.Exit != 0:
		why := strings.TrimSpace(string(out.Stderr.Bytes))
		return check{Status: warning, Detail: fmt.Sprintf("the test program exited with status %d: %s", out.Exit, why), Hint: hint}
	}
	return check{Status: fine, Detail: works}
}

// describeSupport describes the sandbox features of the kernel.
func describeSupport(has subprocess.Support) string {
	var parts []string
	for _, p := range []struct {
		from int
		what string
	}{{1, "files"}, {4, "TCP"}, {6, "signals and abstract sockets"}} {
		if has.Landlock >= p.from {
			parts = append(parts, p.what)
		}
	}
	text := fmt.Sprintf("Landlock %d (%s)", has.Landlock, strings.Join(parts, ", "))
	if has.Seccomp {
		text += ", and seccomp for the network, owners and modes"
	}
	return text
}

// user warns about root, which some limits do not apply to.
func user(context.Context) check {
	if os.Geteuid() == 0 {
		return check{Status: warning, Detail: "root: the kernel does not limit the processes of programs, and file modes do not restrict them", Hint: "run oneshot as another user"}
	}
	return check{Status: fine, Detail: "not root"}
}
