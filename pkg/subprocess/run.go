package subprocess

import (
	"context"
	"errors"
)

// Run runs a command to its end, or to that of ctx, and ends all that has come of it: on Linux also what
// left its process group, its session or its parent, and also when this process is killed. Beside
// what the program printed the error is a *[StartError] if it was not started, or ctx's cause.
func (c *Confinement) Run(ctx context.Context, cmd Command) (Outcome, error) {
	if ctx.Err() != nil {
		return Outcome{}, context.Cause(ctx)
	}
	err := c.Check()
	var out Outcome
	if err == nil {
		out, err = c.run(ctx, cmd)
	}
	var start *StartError
	if errors.As(err, &start) && start.Program == "" && len(cmd.Argv) > 0 {
		start.Program = cmd.Argv[0]
	}
	return out, err
}
