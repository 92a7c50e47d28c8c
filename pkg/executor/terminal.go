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

// Seconds that a command may take.
const (
	commandTime     = 60
	mostCommandTime = 600
)

// A terminal runs commands that a model writes.
type terminal struct{ programs }

// A command is what a model writes: the words, and how long they may take.
type command struct {
	words []string
	limit time.Duration
}

// commandOf reads the arguments of terminal_execute.
func commandOf(raw json.RawMessage) (command, error) {
	args, err := decode[struct {
		Command string         `json:"command"`
		Timeout jsontext.Value `json:"timeout"`
	}](raw)
	if err != nil {
		return command{}, err
	}
	seconds, err := integer("timeout", args.Timeout, commandTime, 1, mostCommandTime)
	if err != nil {
		return command{}, err
	}
	words, err := tool.SplitCommand(args.Command)
	return command{words, time.Duration(seconds) * time.Second}, err
}

// execute is terminal_execute(command, timeout) (M11): the words of the command are run, without
// a shell. Every exit code is a success, and what the program says with it.
func (p terminal) execute(ctx context.Context, t task) (chat.Result, error) {
	c, err := commandOf(t.args)
	if err != nil {
		return chat.Failure(chat.InvalidArguments, "%v", err), nil
	}
	own, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	out, err := p.run(own, ".", subprocess.Command{Argv: c.words, Env: p.environment(p.visible), Max: most(t)})
	switch {
	case err != nil && own.Err() != nil && over(ctx) == nil:
		return timedOut(t.def, c.limit, saidIn(err)), nil
	case errors.Is(err, subprocess.ErrLost):
		return p.lost(out), nil
	case err != nil:
		return unstarted(err, chat.InvalidArguments)
	}
	if why := p.failure(out, true); why != nil {
		return *why, nil
	}
	return p.printed(t, out), nil
}
