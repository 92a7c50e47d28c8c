package cmd

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"oneshot/pkg/agent"
	"oneshot/pkg/chat"
	"oneshot/pkg/executor"
	"oneshot/pkg/provider"
	"oneshot/pkg/runfile"
)

// demo is the name of the built-in model.
const demo = "demo"

// isRecording reports whether a model name is "demo" or "replay:RUN".
func isRecording(name string) bool { return name == demo || strings.HasPrefix(name, "replay:") }

// replay uses a recorded run as the model: name is "demo" or "replay:RUN". The run inherits the recorded seed, clock,
// parameters and dialect, so that the same prompt and tools give the same requests.
func (o *modelOptions) replay(env Env, name string, cfg *agent.Config) error {
	o.chosen = name
	player, log, err := openRecording(env, name)
	if err != nil {
		return err
	}
	o.log = log
	cfg.Model = player
	if run, _ := log.Run(); run.Responder != "" {
		cfg.AnswerModel = player
	}
	if err := agent.Restore(log, cfg); err != nil {
		return &inputError{fmt.Errorf("%s: %w", strings.TrimPrefix(name, "replay:"), err)}
	}
	return o.useDialect(cfg)
}

// openRecording opens the recorded run of that name. It requires a run record.
func openRecording(env Env, name string) (player *provider.Replay, log *runfile.Log, err error) {
	file, recorded := strings.CutPrefix(name, "replay:")
	if recorded {
		if file, err = recordingFile(env, file); err != nil {
			return nil, nil, err
		}
		log, err = readRecord(file)
	} else {
		log, err = demoLog(env.Prompts)
	}
	if as[*runfile.DamageError](err) {
		err = fmt.Errorf("%s: %w", file, err)
	}
	if err != nil {
		return nil, nil, asInputError(err)
	}
	if _, ok := log.Run(); !ok {
		return nil, nil, &inputError{fmt.Errorf("%s: not a run file", file)}
	}
	if player, err = provider.NewReplay(file, log); err != nil {
		return nil, nil, &inputError{err}
	}
	return player, log, nil
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

// responderName returns the name of the responder, recorded or not, or "".
func (o *modelOptions) responderName() string {
	if o.log != nil {
		run, _ := o.log.Run() // checked in recording
		return run.Responder
	}
	return o.responder
}

// native is the dialect name of native calls.
const native = agent.NativeDialect

// useDialect sets the dialect of the flag in the place of the recorded one.
func (o *modelOptions) useDialect(cfg *agent.Config) (err error) {
	if o.dialect == "auto" {
		return nil
	}
	cfg.Native = o.dialect == native && cfg.Tools != nil
	cfg.Dialect, err = taughtFlag(o.dialect)
	return err
}

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

// recordedTools returns a runner that replays recorded results.
func (o *modelOptions) recordedTools() agent.Runner {
	p := replayedTools{play: executor.NewReplay(o.log), file: strings.TrimPrefix(o.chosen, "replay:"), cut: map[string]string{}}
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

// recordedUserInput returns the recorded answers of the user.
func (o *modelOptions) recordedUserInput() (all []runfile.UserInput) {
	for _, r := range o.log.LiveRecords() {
		if b, ok := r.Body.(runfile.UserInput); ok {
			all = append(all, b)
		}
	}
	return all
}
