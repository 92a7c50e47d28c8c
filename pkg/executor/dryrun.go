package executor

import (
	"encoding/json"

	"oneshot/pkg/redact"
	"oneshot/pkg/tool"
)

// A DryRun describes the effects of a call without making it.
type DryRun struct {
	Argv    []string            // the program and its arguments, if any
	Request *tool.FilledRequest // the HTTP request with secrets masked, if any
}

// DryRun returns the effects that a call of a tool would have. The arguments fit the definition. The error is the reason
// why the call would fail, as far as that is known without running anything.
func (e Env) DryRun(def *tool.Definition, args json.RawMessage) (out DryRun, err error) {
	if def.Backend() == tool.BackendHTTP {
		return dryRunRequest(def, args)
	}
	if out.Argv, err = argv(def, args); err != nil {
		return out, err
	}
	if def.Effect != tool.Read {
		err = e.programs().checkPaths(task{def: def, args: args})
	}
	if err == nil && out.Argv != nil && e.Programs != nil {
		_, err = e.Programs.Find(out.Argv)
	}
	return out, err
}

// dryRunRequest returns the request that a call would make.
func dryRunRequest(def *tool.Definition, args json.RawMessage) (DryRun, error) {
	filled, err := def.FillRequest(args, func(string) string { return redact.Mask })
	if err != nil {
		return DryRun{}, err
	}
	if def.KeyHeader != "" {
		filled.Header.Set(def.KeyHeader, "(the key of the call)")
	}
	return DryRun{Request: &filled}, nil
}

// argv returns the program and arguments of a call.
func argv(def *tool.Definition, args json.RawMessage) ([]string, error) {
	switch {
	case def.Backend() == tool.BackendExec:
		filled, err := def.FillProgram(args)
		return filled.Argv, err
	case def.RunsPrograms():
		c, err := parseCommand(args)
		return c.words, err
	}
	return nil, nil
}
