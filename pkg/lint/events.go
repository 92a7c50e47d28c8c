package lint

import (
	"bytes"
	"strconv"

	"github.com/tidwall/gjson"

	"oneshot/pkg/diag"
	"oneshot/pkg/schema"
)

// The events that begin and end a run, and the executions in it.
const (
	chainStart = "on_chain_start"
	chainEnd   = "on_chain_end"
	chainError = "error"
	toolStart  = "on_tool_start"
	toolEnd    = "on_tool_end"
)

// A sequence holds the events of a file against the order that those of a run
// have. Findings are to be located.
type sequence struct {
	findings []diag.Finding // of the latest event
	last     place          // of the latest event
	name     string         // of it
	ended    bool           // the run has ended
	stopped  bool           // what follows is not looked at any more
	running  int            // tools that have started and not ended
	calls    []string       // the latest toolCalls, in canonical form
}

// A place is where a value stands in a file: from an offset to another, and its
// JSON pointer in its document.
type place struct {
	start, end int
	path       string
}

func (s *sequence) add(at place, format string, args ...any) {
	f := diag.New(diag.EventOrder, diag.Bytes(at.start, at.end), format, args...)
	f.Path = at.path
	s.findings = append(s.findings, f)
}

// event takes the next event, which is strict JSON, and says what is wrong with its
// place.
func (s *sequence) event(d document) []diag.Finding {
	first := s.name == ""
	s.findings = nil
	var calls []part
	var list place
	s.last, s.name = place{start: d.offset, end: d.offset + len(d.json)}, "no event"
	for _, p := range parts(d.json) {
		at := place{d.offset + p.start, d.offset + p.end, "/" + p.key}
		raw := d.json[p.start:p.end]
		switch p.key {
		case "event":
			s.last, s.name = at, gjson.ParseBytes(raw).String()
		case "toolCalls":
			calls, list = parts(raw), at
		}
	}
	if s.stopped {
		return nil
	}
	s.step(first)
	if list.path != "" {
		s.grow(calls, d.json[list.start-d.offset:list.end-d.offset], list)
	}
	return s.findings
}

// step judges where an event stands among the others.
func (s *sequence) step(first bool) {
	switch {
	case s.ended:
		s.add(s.last, "%s behind the end of the run", s.name)
		s.stopped = true
	case first && s.name != chainStart:
		s.add(s.last, "the first event is %s, and not %s", s.name, chainStart)
	case !first && s.name == chainStart:
		s.add(s.last, "%s, and the run has begun before", s.name)
	}
	switch s.name {
	case toolStart:
		s.running++
	case toolEnd:
		if s.running == 0 && !s.ended {
			s.add(s.last, "%s, and no tool has started", s.name)
		}
		s.running = max(0, s.running-1)
	case chainEnd:
		if s.running > 0 && !s.ended {
			s.add(s.last, "%s, and %s", s.name, unended(s.running))
		}
		s.ended = true
	case chainError:
		s.ended = true
	}
}

// unended says that tools have not ended.
func unended(tools int) string {
	if tools == 1 {
		return "1 tool has not ended"
	}
	return strconv.Itoa(tools) + " tools have not ended"
}

// grow holds toolCalls against those of the event before.
func (s *sequence) grow(items []part, raw []byte, list place) {
	calls := make([]string, len(items))
	for i, p := range items {
		one, _ := canonical(raw[p.start:p.end]) // it is strict JSON
		calls[i] = string(one)
	}
	before := s.calls
	s.calls = calls
	if len(calls) < len(before) {
		s.add(list, "%s: %d of %d calls are not there any more", list.path, len(before)-len(calls), len(before))
		return
	}
	for i, call := range before {
		if calls[i] != call {
			at := place{list.start + items[i].start, list.start + items[i].end, list.path + "/" + strconv.Itoa(i)}
			s.add(at, "%s: is not the call that stood here before", at.path)
			return
		}
	}
}

// end says what is missing at the end.
func (s *sequence) end() []diag.Finding {
	switch {
	case s.name == "":
		return []diag.Finding{diag.New(diag.EventsCut, diag.Bytes(0, 0), "there are no events")}
	case !s.ended:
		f := diag.New(diag.EventsCut, diag.Bytes(s.last.start, s.last.end), "the last event is %s, and not %s or %s", s.name, chainEnd, chainError)
		f.Path = s.last.path
		return []diag.Finding{f}
	}
	return nil
}

// untorn returns a text without a last line that is cut off, and reports that one.
func untorn(src []byte) ([]byte, []diag.Finding) {
	start := bytes.LastIndexByte(src, '\n') + 1
	last := trimmed(src[start:], start)
	if fault := schema.Strict(last.json); len(last.json) == 0 || fault == nil || fault.Span.Start < len(last.json) {
		return src, nil
	}
	span := diag.Bytes(last.offset, last.offset+len(last.json))
	return src[:start], []diag.Finding{diag.New(diag.EventsCut, span, "the last line was not completely written")}
}
