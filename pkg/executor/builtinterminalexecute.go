package executor

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/chat"
	"oneshot/pkg/subprocess"
	"oneshot/pkg/tool"
)

// Time limits of a command in seconds.
const (
	defaultCommandSeconds = 60
	maxCommandSeconds     = 600
)

// A terminalCommand runs commands written by the model.
type terminalCommand struct{ programs }

// A command is the arguments of a command line, and its time limit.
type command struct {
	words []string
	limit time.Duration
}

// parseCommand parses the arguments of terminal_execute.
func parseCommand(raw json.RawMessage) (command, error) {
	args, err := decodeStrict[struct {
		Command string         `json:"command"`
		Timeout jsontext.Value `json:"timeout"`
	}](raw)
	if err != nil {
		return command{}, err
	}
	seconds, err := parseInteger("timeout", args.Timeout, defaultCommandSeconds, 1, maxCommandSeconds)
	if err != nil {
		return command{}, err
	}
	words, err := tool.SplitCommand(args.Command)
	return command{words, time.Duration(seconds) * time.Second}, err
}

// execute is terminal_execute(command, timeout) (M11): it runs the command without a shell. Every exit code is a
// success and is returned with the output.
func (p terminalCommand) execute(ctx context.Context, t task) (chat.Result, error) {
	c, err := parseCommand(t.args)
	if err != nil {
		return chat.Failure(chat.InvalidArguments, "%v", err), nil
	}
	own, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	out, err := p.run(own, ".", subprocess.Command{Argv: c.words, Env: p.environment(p.allowedVars), Max: captureLimit(t)})
	switch {
	case err != nil && own.Err() != nil && contextCause(ctx) == nil:
		return timeoutResult(t.def, c.limit, partialOutput(err)), nil
	case errors.Is(err, subprocess.ErrLost):
		return p.lostResult(out), nil
	case err != nil:
		return startFailure(err, chat.InvalidArguments)
	}
	if why := p.failureResult(out, true); why != nil {
		return *why, nil
	}
	return p.outputResult(t, out), nil
}
