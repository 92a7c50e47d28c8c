package policy

import (
	"encoding/json"
	"strings"
	"time"

	"oneshot/pkg/runfile"
	"oneshot/pkg/tool"
)

// A State is the history of a run, folded from its records. The zero value is a new run. It is not safe for
// concurrent use.
type State struct {
	counts  map[string]int // allowed calls, by tool and by rule
	calls   int            // allowed calls
	writes  int
	labels  map[tool.Label]string   // first source of data with the label: a tool or the input
	asked   map[string]runfile.Call // waiting for approval, by id
	open    map[string]runfile.Call
	starts  map[string][]time.Time // by tool and by rule
	started map[string]bool        // ids of calls with a recorded start
	known   knownValues
}

// Apply applies a record with its time.
func (s *State) Apply(at time.Time, body runfile.Body) {
	s.initMaps()
	switch b := body.(type) {
	case runfile.Run:
		s.recordLabels(b.InputLabels, "the input")
	case runfile.Request:
		s.known.addPrompt(b.Messages)
	case runfile.Call:
		switch Verdict(b.Verdict) {
		case Allow:
			s.countCall(b)
		case Ask:
			s.asked[b.ID] = b
		}
	case runfile.Approval:
		if call, ok := s.asked[b.Call]; ok && b.Approved {
			if b.Modified != nil {
				call.Proposed, call.Rule, call.Labels = b.Modified, b.Rule, b.Labels
			}
			s.countCall(call)
		}
		delete(s.asked, b.Call)
		s.known.addUserInput(b.Modified)
	case runfile.UserInput:
		values, _ := json.Marshal(b.Values) // strings always have a JSON form
		s.known.addUserInput(values)
	case runfile.Intent:
		s.recordStart(b.Call, at)
	case runfile.Discarded:
		s.recordStart(b.Call, at)
	case runfile.UnknownOutcome:
		s.recordStart(b.Call, at)
	case runfile.Result:
		if call, ok := s.open[b.Call]; ok {
			s.recordStart(b.Call, at.Add(-b.Duration))
			s.recordLabels(call.Labels, call.Name)
			s.recordLabels(b.Labels, call.Name)
			s.known.addResult(call, b)
		}
	}
}

func (s *State) initMaps() {
	if s.counts == nil {
		s.counts, s.labels, s.open = map[string]int{}, map[tool.Label]string{}, map[string]runfile.Call{}
		s.asked = map[string]runfile.Call{}
		s.starts, s.started = map[string][]time.Time{}, map[string]bool{}
	}
}

// countCall counts an allowed call, whether it ran and whatever its outcome.
func (s *State) countCall(c runfile.Call) {
	s.calls++
	if c.Effect != string(tool.Read) {
		s.writes++
	}
	s.open[c.ID] = c
	for _, key := range counterKeys(c) {
		s.counts[key]++
	}
}

// recordStart records the start of a call once.
func (s *State) recordStart(id string, at time.Time) {
	call, decided := s.open[id]
	if s.started[id] || !decided {
		return
	}
	s.started[id] = true
	for _, key := range counterKeys(call) {
		s.starts[key] = insertTime(s.starts[key], at)
	}
}

// counterKeys returns the keys under which a call is counted.
func counterKeys(c runfile.Call) []string { return append(strings.Split(c.Rule, "+"), toolKey(c.Name)) }

// toolKey returns the counter key of a tool. No rule id equals it.
func toolKey(name string) string { return "tool " + name }

// recordLabels records that the model reads data with labels, from a tool or the input. Error messages of a tool are
// data, too: third parties can write them.
func (s *State) recordLabels(labels []string, from string) {
	for _, text := range labels {
		if l := tool.Label(text); s.labels[l] == "" {
			s.labels[l] = from
		}
	}
}

// Labels returns the labels of the data that the run has read, sorted.
func (s *State) Labels() []tool.Label {
	var all []tool.Label
	for _, l := range []tool.Label{tool.Private, tool.Untrusted} {
		if s.labels[l] != "" {
			all = append(all, l)
		}
	}
	return all
}
