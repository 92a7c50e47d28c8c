package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/agent"
	"oneshot/pkg/events"
	"oneshot/pkg/runfile"
)

// A streamTap projects a run while it is under way, and keeps its records.
type streamTap struct {
	agent.Recorder
	live    *events.Projector
	lines   []string
	turn    int // index of the line after the latest on_chat_model_start
	records []runfile.Body
	failed  bool // the recorder failed, so the record lacks events that happened
	answers bool // the latest request has a complete response
}

func newStreamTap(cfg agent.Config) *streamTap {
	s := &streamTap{Recorder: cfg.Recorder}
	s.live = events.NewProjector(nil, func(line []byte) { s.lines = append(s.lines, string(line)) })
	for _, record := range cfg.History {
		s.add(record.Body)
	}
	if len(cfg.History) == 0 {
		s.add(runfile.Run{})
	}
	s.live.GoLive()
	return s
}

func (s *streamTap) add(body runfile.Body) {
	s.records = append(s.records, body)
	s.live.Add(body)
	switch b := body.(type) {
	case runfile.Request:
		s.turn, s.answers = len(s.lines), false
	case runfile.Response:
		if s.answers = true; b.BrokenOff != "" {
			s.dropText()
		}
	}
}

// dropText removes the text of a response that is not on record.
func (s *streamTap) dropText() {
	kept := s.lines[:s.turn]
	for _, line := range s.lines[s.turn:] {
		if !strings.Contains(line, `"on_chat_model_stream"`) {
			kept = append(kept, line)
		}
	}
	s.lines = kept
}

// Append records a body and projects it.
func (s *streamTap) Append(body runfile.Body) error {
	if s.Recorder != nil {
		if err := s.Recorder.Append(body); err != nil {
			s.failed = true
			return err
		}
	}
	s.add(body)
	return nil
}

// Sync makes the record durable.
func (s *streamTap) Sync() error {
	if s.Recorder == nil {
		return nil
	}
	err := s.Recorder.Sync()
	s.failed = s.failed || err != nil
	return err
}

func (s *streamTap) observe(e agent.Event) {
	switch e.Kind {
	case agent.EventText:
		s.live.Text(e.Text)
	case agent.EventStart:
		s.live.CallStarted(e.Call.ID)
	}
}

// runAgent runs the agent. It checks that the events of the run equal those of its record, and that their order is valid.
func (r *rig) runAgent(ctx context.Context) (agent.Outcome, error) {
	cfg := r.cfg
	tap := newStreamTap(cfg)
	if cfg.Recorder != nil { // without a recorder, the order of the events is undefined
		cfg.Recorder = tap
	}
	next := cfg.Observe
	cfg.Observe = func(e agent.Event) {
		tap.observe(e)
		if next != nil {
			next(e)
		}
	}
	out, err := agent.Run(ctx, cfg)
	if cfg.Recorder == nil || tap.failed || errors.As(err, new(*agent.PanicError)) {
		return out, err
	}
	end := runfile.End{}
	if err != nil {
		end = runfile.End{Exit: 1, Name: "e", Why: err.Error()}
	}
	tap.lines = append(tap.lines, string(tap.live.Finish(end)))
	if !tap.answers {
		tap.dropText()
	}
	live := joinText(tap.lines)
	var recorded []string
	p := events.NewProjector(nil, func(line []byte) { recorded = append(recorded, string(line)) })
	for _, body := range tap.records {
		p.Add(body)
	}
	p.Add(end)
	if diff := cmp.Diff(joinText(recorded), live); diff != "" {
		r.t.Errorf("events (-record +run):\n%s\nlog:\n%s", diff, strings.Join(r.seen(), "\n"))
	}
	checkToolEvents(r.t, live)
	return out, err
}

// joinText joins consecutive pieces of text.
func joinText(lines []string) []string {
	var out []string
	text := ""
	for _, line := range append(lines, "") {
		var e struct{ Event, Data string }
		if json.Unmarshal([]byte(line), &e) == nil && e.Event == "on_chat_model_stream" {
			text += e.Data
			continue
		}
		if text != "" {
			out = append(out, "text "+text)
			text = ""
		}
		if line != "" {
			out = append(out, line)
		}
	}
	return out
}

// checkToolEvents checks that each call ends after it starts, that no call is open when the run succeeds, and that the last
// list of calls has all ended calls.
func checkToolEvents(t *testing.T, lines []string) {
	t.Helper()
	open, ended := 0, 0
	for i, line := range lines {
		var e struct {
			Event     string
			ToolCalls []json.RawMessage
		}
		if strings.HasPrefix(line, "text ") {
			continue
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		switch e.Event {
		case "on_tool_start":
			open++
		case "on_tool_end":
			open, ended = open-1, ended+1
		case "on_chat_model_start", "on_chain_end":
			if open != 0 || len(e.ToolCalls) != ended {
				t.Errorf("event %d: %d calls are open, %d have ended, %d are listed:\n%s", i, open, ended, len(e.ToolCalls), strings.Join(lines, ""))
			}
		}
		if open < 0 {
			t.Errorf("event %d: a call ends that has not started", i)
		}
	}
}
