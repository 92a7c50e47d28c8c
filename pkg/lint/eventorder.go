package lint

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/tidwall/gjson"

	"oneshot/pkg/diag"
	"oneshot/pkg/schema"
)

// The events that begin and end a run and its tool executions.
const (
	chainStart = "on_chain_start"
	chainEnd   = "on_chain_end"
	chainError = "error"
	toolStart  = "on_tool_start"
	toolEnd    = "on_tool_end"
)

// An eventOrder checks the order of a run's events. Its findings have no lines and columns yet.
type eventOrder struct {
	findings     []diag.Finding // of the latest event
	lastLocation location       // of the latest event
	name         string         // of it
	ended        bool           // the run has ended
	stopped      bool           // ignore further events
	running      int            // tools that have started and not ended
	calls        []string       // the latest toolCalls, in canonical form
}

// A location is a range of offsets in a file, with the JSON pointer in its document.
type location struct {
	start, end int
	path       string
}

func (s *eventOrder) report(at location, format string, args ...any) {
	f := diag.New(diag.EventOrder, diag.Bytes(at.start, at.end), format, args...)
	f.Path = at.path
	s.findings = append(s.findings, f)
}

// check checks the next event, which is strict JSON, and returns findings about its order.
func (s *eventOrder) check(d document) []diag.Finding {
	first := s.name == ""
	s.findings = nil
	var calls []element
	var list location
	s.lastLocation, s.name = location{start: d.offset, end: d.offset + len(d.json)}, "unnamed"
	for _, p := range elements(d.json) {
		at := location{d.offset + p.start, d.offset + p.end, "/" + p.key}
		raw := d.json[p.start:p.end]
		switch p.key {
		case "event":
			s.lastLocation, s.name = at, gjson.ParseBytes(raw).String()
		case "toolCalls":
			calls, list = elements(raw), at
		}
	}
	if s.stopped {
		return nil
	}
	s.checkOrder(first)
	if list.path != "" {
		s.checkToolCallsAppendOnly(calls, d.json[list.start-d.offset:list.end-d.offset], list)
	}
	return s.findings
}

// checkOrder checks an event's name against the preceding events.
func (s *eventOrder) checkOrder(first bool) {
	switch {
	case s.ended:
		s.report(s.lastLocation, "%s after the end of the run", s.name)
		s.stopped = true
	case first && s.name != chainStart:
		s.report(s.lastLocation, "the first event is %s, expected %s", s.name, chainStart)
	case !first && s.name == chainStart:
		s.report(s.lastLocation, "%s after the start of the run", s.name)
	}
	switch s.name {
	case toolStart:
		s.running++
	case toolEnd:
		if s.running == 0 && !s.ended {
			s.report(s.lastLocation, "%s without a started tool", s.name)
		}
		s.running = max(0, s.running-1)
	case chainEnd:
		if s.running > 0 && !s.ended {
			s.report(s.lastLocation, "%s, but %s", s.name, describeUnfinishedTools(s.running))
		}
		s.ended = true
	case chainError:
		s.ended = true
	}
}

// describeUnfinishedTools describes tools that have not ended.
func describeUnfinishedTools(tools int) string {
	if tools == 1 {
		return "1 tool has not ended"
	}
	return strconv.Itoa(tools) + " tools have not ended"
}

// checkToolCallsAppendOnly compares toolCalls with those of the event before: calls are only appended.
func (s *eventOrder) checkToolCallsAppendOnly(items []element, raw []byte, list location) {
	calls := make([]string, len(items))
	for i, p := range items {
		one, _ := canonicalJSON(raw[p.start:p.end]) // it is strict JSON
		calls[i] = string(one)
	}
	previous := s.calls
	s.calls = calls
	if len(calls) < len(previous) {
		s.report(list, "%s: %d of %d earlier calls are missing", list.path, len(previous)-len(calls), len(previous))
		return
	}
	for i, call := range previous {
		if calls[i] != call && !(s.name == chainEnd && completesCall(call, calls[i], raw[items[i].start:items[i].end])) {
			at := location{list.start + items[i].start, list.start + items[i].end, list.path + "/" + strconv.Itoa(i)}
			s.report(at, "%s: differs from the earlier call", at.path)
			return
		}
	}
}

// completesCall reports whether two calls in canonical form, the second as written, differ only in an input or output that was
// omitted for its size, {"omitted": BYTES}.
func completesCall(abridged, whole string, written []byte) bool {
	for _, key := range []string{"input", "output"} {
		before, after := gjson.Get(abridged, key), gjson.Get(whole, key)
		size := before.Get("omitted")
		if size.Type != gjson.Number || before.Raw != `{"omitted":`+size.Raw+`}` {
			continue
		}
		var compact bytes.Buffer
		if json.Compact(&compact, []byte(gjson.GetBytes(written, key).Raw)) != nil || strconv.Itoa(compact.Len()) != size.Raw {
			continue
		}
		whole = whole[:after.Index] + before.Raw + whole[after.Index+len(after.Raw):]
	}
	return abridged == whole
}

// findingsAtEnd returns findings about events missing at the end.
func (s *eventOrder) findingsAtEnd() []diag.Finding {
	switch {
	case s.name == "":
		return []diag.Finding{diag.New(diag.EventsTruncated, diag.Bytes(0, 0), "no events")}
	case !s.ended:
		f := diag.New(diag.EventsTruncated, diag.Bytes(s.lastLocation.start, s.lastLocation.end), "the last event is %s, expected %s or %s", s.name, chainEnd, chainError)
		f.Path = s.lastLocation.path
		return []diag.Finding{f}
	}
	return nil
}

// cutTornLine returns a text without an incomplete last line, and reports that line.
func cutTornLine(src []byte) ([]byte, []diag.Finding) {
	start := bytes.LastIndexByte(src, '\n') + 1
	last := trimDocument(src[start:], start)
	if fault := schema.CheckStrict(last.json); len(last.json) == 0 || fault == nil || fault.Span.Start < len(last.json) {
		return src, nil
	}
	span := diag.Bytes(last.offset, last.offset+len(last.json))
	return src[:start], []diag.Finding{diag.New(diag.EventsTruncated, span, "the last line is incomplete")}
}
