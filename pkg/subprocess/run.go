package subprocess

import (
	"context"
	"errors"
)

// Run runs a command until it or ctx ends, and kills all its descendants: on Linux even those that left the process
// group, session or parent, and even if this process is killed. In addition to the output, the error is a *[StartError] if
// the program was not started, or ctx's cause.
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
