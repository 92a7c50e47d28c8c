package executor

import (
	"context"
	"encoding/json"

	"oneshot/pkg/redact"
	"oneshot/pkg/tool"
)

// A Rehearsal is what a call of a tool would do.
type Rehearsal struct {
	Argv    []string            // the words of the program that it would run, if it runs one
	Request *tool.FilledRequest // the request that it would make, without secrets, if it makes one
}

// Rehearse returns what a call of a tool would do. The arguments fit the definition; the error says
// why the call would fail before anything is run or changed, as far as that can be told without it.
func (e Env) Rehearse(ctx context.Context, def *tool.Definition, args json.RawMessage) (out Rehearsal, err error) {
	if def.Backend() == tool.BackendHTTP {
		return rehearsed(def, args)
	}
	if out.Argv, err = argv(def, args); err != nil {
		return out, err
	}
	if def.Effect != tool.Read {
		err = e.programs().reaches(ctx, task{def: def, args: args})
	}
	if err == nil && out.Argv != nil && e.Programs != nil {
		_, err = e.Programs.Find(out.Argv)
	}
	return out, err
}

// rehearsed returns the request that a call would make.
func rehearsed(def *tool.Definition, args json.RawMessage) (Rehearsal, error) {
	filled, err := def.FillRequest(args, func(string) string { return redact.Mask })
	if err != nil {
		return Rehearsal{}, err
	}
	if def.KeyHeader != "" {
		filled.Header.Set(def.KeyHeader, "(the key of the call)")
	}
	return Rehearsal{Request: &filled}, nil
}

// argv returns the words of the program.
func argv(def *tool.Definition, args json.RawMessage) ([]string, error) {
	switch {
	case def.Backend() == tool.BackendExec:
		filled, err := def.FillProgram(args)
		return filled.Argv, err
	case RunsPrograms(def):
		c, err := commandOf(args)
		return c.words, err
	}
	return nil, nil
}
