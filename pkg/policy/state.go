package policy

import (
	"encoding/json"
	"strings"
	"time"

	"oneshot/pkg/runfile"
	"oneshot/pkg/tool"
)

// A State is what a run has done so far, as its records say. The zero value is that of a run
// that has done nothing. It is not safe for concurrent use.
type State struct {
	counts map[string]int // of calls that were allowed, by tool and by rule
	calls  int            // that were allowed
	writes int
	labels map[tool.Label]string   // what first brought data of this kind: a tool, or the input
	asked  map[string]runfile.Call // that wait for an approval, by id
	open   map[string]runfile.Call
	starts map[string][]time.Time // of calls, by tool and by rule
	begun  map[string]bool        // the ids of calls whose start has been taken
	known  memory
}

// Apply takes in a record that was made at a time.
func (s *State) Apply(at time.Time, body runfile.Body) {
	s.ready()
	switch b := body.(type) {
	case runfile.Run:
		s.label(b.InputLabels, "the input")
	case runfile.Request:
		s.known.ask(b.Messages)
	case runfile.Call:
		switch Verdict(b.Verdict) {
		case Allow:
			s.count(b)
		case Ask:
			s.asked[b.ID] = b
		}
	case runfile.Approval:
		if call, ok := s.asked[b.Call]; ok && b.Approved {
			if b.Modified != nil {
				call.Proposed, call.Rule, call.Labels = b.Modified, b.Rule, b.Labels
			}
			s.count(call)
		}
		delete(s.asked, b.Call)
		s.known.hear(b.Modified)
	case runfile.UserInput:
		values, _ := json.Marshal(b.Values) // texts have a JSON form
		s.known.hear(values)
	case runfile.Intent:
		s.start(b.Call, at)
	case runfile.Discarded:
		s.start(b.Call, at)
	case runfile.UnknownOutcome:
		s.start(b.Call, at)
	case runfile.Result:
		if call, ok := s.open[b.Call]; ok {
			s.start(b.Call, at.Add(-b.Duration))
			s.label(call.Labels, call.Name)
			s.label(b.Labels, call.Name)
			s.known.learn(call, b)
		}
	}
}

// ready makes a zero state one that can be written to.
func (s *State) ready() {
	if s.counts == nil {
		s.counts, s.labels, s.open = map[string]int{}, map[tool.Label]string{}, map[string]runfile.Call{}
		s.asked = map[string]runfile.Call{}
		s.starts, s.begun = map[string][]time.Time{}, map[string]bool{}
	}
}

// count counts a call that may happen. Whether it did, or what came of it, makes no
// difference.
func (s *State) count(c runfile.Call) {
	s.calls++
	if c.Effect != string(tool.Read) {
		s.writes++
	}
	s.open[c.ID] = c
	for _, key := range keysOf(c) {
		s.counts[key]++
	}
}

// start takes that a call starts at a time, once.
func (s *State) start(id string, at time.Time) {
	call, decided := s.open[id]
	if s.begun[id] || !decided {
		return
	}
	s.begun[id] = true
	for _, key := range keysOf(call) {
		s.starts[key] = noted(s.starts[key], at)
	}
}

// keysOf returns under which keys a call is counted.
func keysOf(c runfile.Call) []string { return append(strings.Split(c.Rule, "+"), toolKey(c.Name)) }

// toolKey is under which calls of a tool are counted; no id of a rule is like it.
func toolKey(name string) string { return "tool " + name }

// label notes that the model gets data with these labels, from a tool or the input. An error of a tool
// is data, too: it is what somebody says.
func (s *State) label(labels []string, from string) {
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
