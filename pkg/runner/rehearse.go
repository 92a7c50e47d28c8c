package runner

import (
	"context"
	"encoding/json"

	"oneshot/pkg/tool"
)

// Rehearse returns the words of the program that a call of a tool would run, nil where it runs
// none. The arguments fit the definition; the error says why the call would fail before anything
// is run or changed, as far as that can be told without it.
func (e Env) Rehearse(ctx context.Context, def *tool.Definition, args json.RawMessage) ([]string, error) {
	argv, err := argv(def, args)
	if err != nil {
		return nil, err
	}
	if def.Effect != tool.Read {
		err = e.programs().reaches(ctx, task{def: def, args: args})
	}
	if err == nil && argv != nil && e.Programs != nil {
		_, err = e.Programs.Find(argv)
	}
	return argv, err
}

// argv returns the words of the program.
func argv(def *tool.Definition, args json.RawMessage) ([]string, error) {
	switch {
	case def.Means() == tool.ByProgram:
		filled, err := def.Fill(args)
		return filled.Argv, err
	case RunsPrograms(def):
		c, err := commandOf(args)
		return c.words, err
	}
	return nil, nil
}
