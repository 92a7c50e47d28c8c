package cmd

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"oneshot/pkg/agent"
	"oneshot/pkg/chat"
	"oneshot/pkg/executor"
	"oneshot/pkg/model"
	"oneshot/pkg/runfile"
)

// demo is the name of the built-in model.
const demo = "demo"

// isRecording reports whether the name of a model is that of a recording, which needs no server.
func isRecording(name string) bool { return name == demo || strings.HasPrefix(name, "replay:") }

// replay plays a recorded run: name is "demo" or "replay:RUN". The recording's
// seed, clock, parameters and dialect are those of this run, so that the same
// prompt and tools give the same requests.
func (o *modelOptions) replay(env Env, name string, cfg *agent.Config) error {
	o.chosen = name
	player, log, err := recording(env, name)
	if err != nil {
		return err
	}
	o.log = log
	run, _ := log.Run()
	seed, err := hex.DecodeString(run.Seed)
	if err != nil || len(seed) != len(cfg.Seed) {
		return &inputError{fmt.Errorf("%s: the recorded seed is damaged", strings.TrimPrefix(name, "replay:"))}
	}
	copy(cfg.Seed[:], seed)
	cfg.Model, cfg.Now = player, inZone(run.Now, run.Zone)
	if run.Responder != "" {
		cfg.AnswerModel = player
	}
	for key, value := range run.Params {
		if cfg.Params[key] == nil {
			cfg.Params[key] = value
		}
	}
	cfg.AskUser = run.AskUser
	cfg.Nonce, cfg.TextAnswer = isMarked(o.log), cfg.Schema == nil && run.AnswerForm == formText
	if err := useTexts(cfg, run, strings.TrimPrefix(name, "replay:")); err != nil {
		return err
	}
	cfg.ResumePoints, _ = agent.ResumePoints(log)
	return o.useDialect(run.Dialect, cfg)
}

// recording opens the recorded run of that name, which has a record of how it began.
func recording(env Env, name string) (player *model.Replay, log *runfile.Log, err error) {
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
		return nil, nil, unreadable(err)
	}
	if _, ok := log.Run(); !ok {
		return nil, nil, &inputError{fmt.Errorf("%s: not a run file", file)}
	}
	if player, err = model.NewReplay(file, log); err != nil {
		return nil, nil, &inputError{err}
	}
	return player, log, nil
}

// readRecord reads the run file that a command line names.
func readRecord(name string) (*runfile.Log, error) {
	f, err := openFile(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return runfile.Read(f)
}

// isMarked reports whether calls of a recorded run counted only in marked fences.
func isMarked(log *runfile.Log) bool {
	return slices.ContainsFunc(log.Records, func(r runfile.Record) bool {
		request, ok := r.Body.(runfile.Request)
		return ok && request.Nonce != ""
	})
}

// answering returns the name of the responder, also of a recorded one, or "".
func (o *modelOptions) answering() string {
	if o.log != nil {
		run, _ := o.log.Run() // it has one, or it is not replayed
		return run.Responder
	}
	return o.responder
}

// native is how a record names the dialect of native calls.
const native = "native"

// useDialect makes the dialect of a recording that of the run, unless a flag says
// otherwise.
func (o *modelOptions) useDialect(recorded string, cfg *agent.Config) (err error) {
	name := o.dialect
	if name == "auto" {
		name = recorded
	}
	cfg.Native = name == native && cfg.Tools != nil
	cfg.Dialect, err = taughtFlag(name)
	return err
}

// unreadable makes an input error of a run file that cannot be opened.
func unreadable(err error) error {
	if errors.As(err, new(*runfile.DamageError)) {
		return err
	}
	return &inputError{err}
}

// inZone returns a time in the zone of that name. A name that this machine does
// not know, or knows with another offset, still names the zone.
func inZone(t time.Time, zone string) time.Time {
	_, offset := t.Zone()
	if loc, err := time.LoadLocation(zone); err == nil {
		if _, here := t.In(loc).Zone(); here == offset {
			return t.In(loc)
		}
	}
	return t.In(time.FixedZone(zone, offset))
}

// demoLog reads the run that the built-in model plays.
func demoLog(prompts fs.FS) (*runfile.Log, error) {
	text, err := fs.ReadFile(prompts, "demo.jsonl")
	if err != nil {
		return nil, err
	}
	return runfile.Read(bytes.NewReader(text))
}

// recordedTools returns a runner that plays the results of the recording.
func (o *modelOptions) recordedTools() agent.Runner {
	p := playedTools{play: executor.NewReplay(o.log), file: strings.TrimPrefix(o.chosen, "replay:"), cut: map[string]string{}}
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

// playedTools play the results of a recording, and end in a call in which the recorded run ended.
type playedTools struct {
	play *executor.Replay
	file string
	cut  map[string]string // tools of calls without a result, by their ids
	end  *runfile.End      // nil if the recorded run was cut off
}

// Run plays the result of a call.
func (p playedTools) Run(ctx context.Context, x chat.Execution) (chat.Result, error) {
	result, err := p.play.Run(ctx, x)
	if as[*executor.NoRecordError](err) && p.end != nil && p.end.Exit != 0 && p.cut[x.Call.ID] == x.Call.Name {
		err = &model.RecordedEndError{File: p.file, End: *p.end}
	}
	return result, err
}

// A recordedApprover gives the answers that are on record of a run that is played again with the
// results of its tools, where nothing can come of a call. It asks nobody else.
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
	return agent.Approval{}, errNobody
}

// told returns what the user said in the recorded run.
func (o *modelOptions) told() (all []runfile.UserInput) {
	for _, r := range o.log.LiveRecords() {
		if b, ok := r.Body.(runfile.UserInput); ok {
			all = append(all, b)
		}
	}
	return all
}
