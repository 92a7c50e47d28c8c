package agent

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"slices"

	"oneshot/pkg/chat"
	"oneshot/pkg/dialect"
	"oneshot/pkg/policy"
	"oneshot/pkg/prompt"
	"oneshot/pkg/runfile"
)

// NativeDialect names native calls in records, in the place of a dialect.
const NativeDialect = "native"

// Forms of an answer in records.
const (
	answerText = "text"
	answerJSON = "json"
)

// RunRecord returns the first record of a run with this configuration, with everything that [Resume]
// needs. Callers may add information of their own. A record needs Config.ID, such as one of
// [runfile.NewID].
func (c Config) RunRecord() (runfile.Run, error) {
	texts, err := prompt.Load(c.Texts)
	if err != nil {
		return runfile.Run{}, err
	}
	l := c.Limits
	first := runfile.Run{
		ID: c.ID, Seed: hex.EncodeToString(c.Seed[:]), Now: c.Now, Zone: c.Now.Location().String(),
		Dialect: c.Dialect.Name, AnswerForm: answerJSON, AskUser: c.AskUser, LeakedCalls: c.RunLeakedCalls, Prompt: c.Prompt, Input: c.Input, Attachments: c.Attachments,
		InputLabels: policy.LabelNames(c.inputLabels()), Texts: texts.All(), Params: c.Params,
		Limits: runfile.Limits{Turns: l.Turns, Calls: l.Calls, Repeats: l.Repeats, Repairs: l.Repairs, Tokens: l.Tokens, Cost: l.Cost, Wall: l.Wall},
	}
	switch {
	case c.Native:
		first.Dialect = NativeDialect
	case first.Dialect == "":
		first.Dialect = defaultDialect
	}
	if c.TextAnswer {
		first.AnswerForm = answerText
	}
	return first, nil
}

// Resume makes cfg continue the run in log: it sets the ID, the prompt and its input, the clock, the
// seed and all other settings that the requests depend on, the recorded steps and the time used. The
// caller sets the rest as for the first start, in particular the models, the tools, the policy and
// the limits. [Run] then repeats the recorded steps without asking a model or running a tool, and
// continues after them.
//
// The returned record states that the run was resumed. It must be the next one in the run file, before
// Run. The error is a *[FinishedError] if the run has its answer, or a *[UnusableRecordError].
func Resume(log *runfile.Log, cfg *Config) (runfile.Resumed, error) {
	history, err := ResumeHistory(log)
	if err != nil {
		return runfile.Resumed{}, err
	}
	if err := Restore(log, cfg); err != nil {
		return runfile.Resumed{}, err
	}
	first, _ := log.Run() // Restore checked it
	_, last := resumedTurns(log)
	cfg.ID, cfg.Params = first.ID, first.Params
	cfg.Prompt, cfg.Input = cfg.Policy.Secrets.Hide(first.Prompt), cfg.Policy.Secrets.Hide(first.Input)
	if cfg.Attachments, err = RecordedAttachments(log); err != nil {
		return runfile.Resumed{}, err
	}
	cfg.History, cfg.Spent, cfg.Elapsed = history, unrepeated(log, history), log.ActiveTime()
	cfg.ResumePoints = append(cfg.ResumePoints, last)
	return runfile.Resumed{KeptThrough: history[len(history)-1].Seq}, nil
}

// Restore sets all settings that the requests of the recorded run depend on, except its prompt and its tools: the
// seed, the clock, the prompt texts, the dialect, the form of the answer, parameters that cfg lacks,
// and the resume points. A run with the same prompt, the same tools and a replay as its model then
// sends the recorded requests, and has the recorded usage. The error is a *[UnusableRecordError].
func Restore(log *runfile.Log, cfg *Config) error {
	first, ok := log.Run()
	if !ok {
		return &UnusableRecordError{errors.New("the record has no beginning")}
	}
	if cfg.Seed, ok = first.SeedBytes(); !ok {
		return &UnusableRecordError{errors.New("the recorded seed is damaged")}
	}
	cfg.Texts = prompt.RecordedFiles(first.Texts, cfg.Texts)
	if _, err := prompt.Load(cfg.Texts); err != nil {
		return &UnusableRecordError{err}
	}
	name := first.Dialect
	if cfg.Native = name == NativeDialect && cfg.Tools != nil; name == NativeDialect {
		name = defaultDialect
	}
	if cfg.Dialect, ok = dialect.Lookup(name); !ok {
		return &UnusableRecordError{errors.New("the recorded dialect " + name + " is unknown")}
	}
	cfg.Now, cfg.AskUser, cfg.RunLeakedCalls = first.Clock(), first.AskUser, first.LeakedCalls
	cfg.TextAnswer = cfg.Schema == nil && first.AnswerForm == answerText
	cfg.Nonce = cfg.Nonce || slices.ContainsFunc(log.Records, hasFenceNonce)
	params := map[string]json.RawMessage{}
	maps.Copy(params, first.Params)
	maps.Copy(params, cfg.Params)
	cfg.Params = params
	cfg.recordedWording = newRecordedWording(log)
	turns, _ := resumedTurns(log)
	cfg.ResumePoints = append(cfg.ResumePoints, turns...)
	cfg.Spent = unrepeated(log, log.LiveRecords())
	return nil
}

// RecordedAttachments returns the attachments of a recorded run. The error is a *[UnusableRecordError] if the record lacks
// their data, because the run was cut off while it wrote them.
func RecordedAttachments(log *runfile.Log) ([]chat.Attachment, error) {
	data := map[string][]byte{}
	for _, r := range log.Records {
		if b, ok := r.Body.(runfile.Attachment); ok {
			data[b.SHA256] = b.Data
		}
	}
	first, _ := log.Run()
	all := slices.Clone(first.Attachments)
	for i, a := range all {
		var ok bool
		if all[i].Data, ok = data[a.SHA256]; !ok {
			return nil, &UnusableRecordError{errors.New("the record lacks the data of the attachment " + a.Name)}
		}
	}
	return all, nil
}

// hasFenceNonce reports whether a record is a request that allowed calls only in marked fences.
func hasFenceNonce(r runfile.Record) bool {
	request, ok := r.Body.(runfile.Request)
	return ok && request.Nonce != ""
}
