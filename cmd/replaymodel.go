package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"oneshot/pkg/agent"
	"oneshot/pkg/chat"
	"oneshot/pkg/executor"
	"oneshot/pkg/provider"
	"oneshot/pkg/runfile"
)

// demo is the name of the built-in model.
const demo = "demo"

// A demoMismatchError reports a run that is not the one of the demo model. It omits the difference between the requests, which
// says nothing about the command line.
type demoMismatchError struct{ err error } // a *[provider.ReplayError]

func (e *demoMismatchError) Error() string {
	return "--model demo: the run differs from the recorded one"
}

func (e *demoMismatchError) Unwrap() error { return e.err }

// isDemoMismatch reports whether a run is not the one of the demo model.
func isDemoMismatch(err error) bool {
	var replay *provider.ReplayError
	return errors.As(err, &replay) && replay.File == demo
}

// isRecording reports whether a model name is "demo" or "replay:RUN".
func isRecording(name string) bool { return name == demo || strings.HasPrefix(name, "replay:") }

// A recording is a recorded run that answers as a model.
type recording struct {
	name   string // demo, or replay:FILE
	player *provider.Replay
	log    *runfile.Log
	run    runfile.Run
}

// findRecording returns the recording of that name: demo, or replay:RUN. It has to be loaded before use.
func findRecording(env Env, name string) (*recording, error) {
	run, recorded := strings.CutPrefix(name, "replay:")
	if !recorded {
		return &recording{name: name}, nil
	}
	file, err := recordingFile(env, run)
	return &recording{name: "replay:" + file}, err
}

// load reads the recording, once. It requires a run record.
func (r *recording) load(env Env) (err error) {
	switch {
	case r.log != nil:
		return nil
	case r.name == demo:
		r.log, err = demoLog(env.Prompts)
	default:
		r.log, err = readRecord(r.file())
	}
	if as[*runfile.DamageError](err) {
		err = fmt.Errorf("%s: %w", r.file(), err)
	}
	if err != nil {
		return asInputError(err)
	}
	ok := false
	if r.run, ok = r.log.Run(); !ok {
		return &inputError{fmt.Errorf("%s: not a run file", r.file())}
	}
	if r.player, err = provider.NewReplay(r.file(), r.log); err != nil {
		return &inputError{err}
	}
	return nil
}

// file returns the name for errors.
func (r *recording) file() string { return strings.TrimPrefix(r.name, "replay:") }

// replayModels returns the recording as the model of a run.
func (r *recording) replayModels() *chosenModels {
	m := &chosenModels{names: []string{r.name}, main: r.player}
	if r.run.Responder != "" {
		m.answer = r.player
	}
	return m
}

// readRecord reads a run file.
func readRecord(name string) (*runfile.Log, error) {
	f, err := openFile(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return runfile.Read(f)
}

// native is the dialect name of native calls.
const native = agent.NativeDialect

// asInputError returns an input error for a run file that cannot be read.
func asInputError(err error) error {
	if errors.As(err, new(*runfile.DamageError)) {
		return err
	}
	return &inputError{err}
}

// demoLog reads the run that the demo model replays.
func demoLog(prompts fs.FS) (*runfile.Log, error) {
	text, err := fs.ReadFile(prompts, "demo.jsonl")
	if err != nil {
		return nil, err
	}
	return runfile.Read(bytes.NewReader(text))
}

// tools returns a runner that replays recorded results.
func (o *recording) tools() agent.Runner {
	p := replayedTools{play: executor.NewReplay(o.log), file: o.file(), cut: map[string]string{}}
	for _, r := range o.log.LiveRecords() {
		switch b := r.Body.(type) {
		case runfile.Call:
			p.cut[b.ID] = b.Name
		case runfile.Result:
			delete(p.cut, b.Call)
		case runfile.End:
			p.end = &b
		}
	}
	return p
}

// replayedTools replay recorded results, and fail at the call during which the recorded run ended.
type replayedTools struct {
	play *executor.Replay
	file string
	cut  map[string]string // tools of calls without a result, by their ids
	end  *runfile.End      // nil if the recorded run was cut off
}

// Run replays the result of a call.
func (p replayedTools) Run(ctx context.Context, x chat.Execution) (chat.Result, error) {
	result, err := p.play.Run(ctx, x)
	if as[*executor.NoRecordError](err) && p.end != nil && p.end.Exit != 0 && p.cut[x.Call.ID] == x.Call.Name {
		err = &provider.RecordedEndError{File: p.file, End: *p.end}
	}
	return result, err
}

// A recordedApprover replays recorded approvals. The calls of such a run are replayed, too, and have no effect.
type recordedApprover struct {
	answers map[string]runfile.Approval // by the ids of calls
}

func newRecordedApprover(log *runfile.Log) *recordedApprover {
	a := &recordedApprover{map[string]runfile.Approval{}}
	for _, r := range log.LiveRecords() {
		if b, ok := r.Body.(runfile.Approval); ok {
			a.answers[b.Call] = b
		}
	}
	return a
}

// Approve answers a question.
func (a *recordedApprover) Approve(_ context.Context, q agent.ApprovalRequest) (agent.Approval, error) {
	if then, ok := a.answers[q.CallID]; ok && then.Digest == q.Digest {
		return agent.Approval{ID: then.ID, By: then.By, Approved: then.Approved, Modified: then.Modified, Why: then.Why}, nil
	}
	return agent.Approval{}, agent.ErrNoApprover
}

// userInput returns the recorded answers of the user.
func (o *recording) userInput() (all []runfile.UserInput) {
	for _, r := range o.log.LiveRecords() {
		if b, ok := r.Body.(runfile.UserInput); ok {
			all = append(all, b)
		}
	}
	return all
}

// recordingFile returns the run file of "replay:NAME".
func recordingFile(env Env, name string) (string, error) {
	if name == "" {
		return "", usagef("use replay:last, replay:ID or replay:FILE", "--model replay: missing run")
	}
	path, err := (&runsOptions{env: env}).find(name)
	if err == nil {
		if _, missing := os.Stat(path); errors.Is(missing, fs.ErrNotExist) {
			err = runNotFoundError(name)
			if _, missing := os.Stat(name); missing == nil {
				err = &hintedError{err, "use --model replay:./" + name + " for the file"}
			}
		}
	}
	if err != nil {
		return "", fmt.Errorf("--model: %w", err)
	}
	return path, nil
}
