package cmd

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"oneshot/pkg/agent"
	"oneshot/pkg/chat"
	"oneshot/pkg/diag/report"
)

// A runStatus is the status of a run for the live line.
type runStatus struct {
	console *console
	model   string
	began   time.Time

	mu      sync.Mutex // the run changes the fields below, and a goroutine draws them
	turn    int
	phase   string
	running map[string]string // tools of the calls under way, by ID
	usage   chat.Usage
	cost    chat.Cost
}

// Phases of a turn besides the wait for a response.
const (
	receivingPhase = "receiving the response"
	workingPhase   = "working"
)

// statusInterval is the time between two updates of the elapsed time.
const statusInterval = time.Second

func newRunStatus(t *console, model string, began time.Time) *runStatus {
	return &runStatus{console: t, model: onOneLine(model), began: began, phase: workingPhase, running: map[string]string{}}
}

// show redraws the line every second until hide is called, which removes it.
func (s *runStatus) show() (hide func()) {
	stop := make(chan struct{})
	var redrawing sync.WaitGroup
	redrawing.Go(func() {
		tick := time.NewTicker(statusInterval)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				s.draw()
			case <-stop:
				return
			}
		}
	})
	return func() {
		close(stop)
		redrawing.Wait()
		s.console.live.set("")
	}
}

// observe updates the status and the line.
func (s *runStatus) observe(e agent.Event) {
	if s.apply(e) {
		s.draw()
	}
}

// apply applies an event, and returns whether the status has changed.
func (s *runStatus) apply(e agent.Event) (changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.turn = e.Turn
	switch e.Kind {
	case agent.EventRequest:
		s.phase, s.usage, s.cost = describeWait(e.Purpose), e.TotalUsage, e.TotalCost
	case agent.EventText:
		changed = s.phase != receivingPhase // not each of many pieces
		s.phase = receivingPhase
		return changed
	case agent.EventReply:
		s.phase, s.usage, s.cost = workingPhase, e.TotalUsage, e.TotalCost
	case agent.EventStart:
		s.running[e.Call.ID] = onOneLine(e.Call.Tool)
	case agent.EventResult, agent.EventDropped:
		delete(s.running, e.Call.ID)
	default:
		return false
	}
	return true
}

// draw redraws the line, once the run has begun a turn. Secrets are masked before the line is cut.
func (s *runStatus) draw() {
	const prefix = "oneshot: "
	t := s.console
	if line := s.line(time.Now()); line != "" {
		t.live.set(prefix + report.Cut(t.secrets.Redact(line), t.width()-len(prefix)))
	}
}

// line returns the text of the line, or "" before the first turn.
func (s *runStatus) line(now time.Time) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turn == 0 {
		return ""
	}
	activity := s.phase
	switch tools := slices.Collect(maps.Values(s.running)); {
	case s.phase != workingPhase, len(tools) == 0: // a read can end while the response arrives, and is reported later
	case len(tools) == 1:
		activity = "running " + tools[0]
	default:
		activity = fmt.Sprintf("running %d calls", len(tools))
	}
	text := fmt.Sprintf("%s, turn %d: %s, %v", s.model, s.turn, activity, now.Sub(s.began).Truncate(time.Second))
	if n := s.usage.Total(); n > 0 {
		text += ", " + report.Count(n, "token")
	}
	if s.cost.Known {
		text += costSuffix(s.cost)
	}
	return text
}
