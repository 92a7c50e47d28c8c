package dialect

import (
	"slices"

	"oneshot/pkg/diag"
)

// Reasoning says where a response may contain reasoning.
type Reasoning int

// Modes of reading reasoning.
const (
	// ReasoningAuto reads reasoning markers where they occur. A closing marker without an opening one makes
	// everything before it reasoning: the opening marker was in the prompt.
	ReasoningAuto Reasoning = iota
	// ReasoningOpen means that the response begins inside reasoning.
	ReasoningOpen
	// ReasoningOff treats reasoning markers as text.
	ReasoningOff
)

// delimiters are the markers around reasoning.
type delimiters struct {
	name         string
	needsOpener  bool // no prompt contains the opener: a closer alone means nothing
	sharedCloser bool // its closer ends other messages as well, and means nothing outside reasoning
	markers      []marker
}

// newDelimiters returns the delimiters of an opening and a closing marker.
func newDelimiters(open, end string) *delimiters {
	return &delimiters{name: open + "…" + end, markers: []marker{{text: open, role: reasoningOpen}, {text: end, role: reasoningClose}}}
}

// closers returns the markers that end reasoning.
func (w *delimiters) closers() []string {
	var all []string
	for _, m := range w.markers {
		if m.role == reasoningClose {
			all = append(all, m.text)
		}
	}
	return all
}

// thinkTags are the delimiters of most models.
var thinkTags = newDelimiters("<think>", "</think>")

// scratchPad is an additional form of Hermes.
var scratchPad = newDelimiters("<scratch_pad>", "</scratch_pad>")

// reasoningDelimiters returns the delimiters of a dialect. Those of most models count in every dialect: a call
// in reasoning must not run.
func (d *Dialect) reasoningDelimiters() []*delimiters {
	if slices.Contains(d.framing.reasoning, thinkTags) {
		return d.framing.reasoning
	}
	return append(slices.Clip(d.framing.reasoning), thinkTags)
}

// A reasoningState is the state of reasoning in a response.
type reasoningState struct {
	mode       Reasoning
	inside     bool
	delimiters *delimiters // of the open reasoning; nil if the prompt opened it
	openerSpan diag.Span
	opener     string // its opening marker
	hasText    bool   // it has text
	ended      bool   // some reasoning has ended
}

// beginReasoning handles an opening marker. Inside reasoning it is text, except at the very start: the prompt,
// or the model, has already opened it.
func (s *Scanner) beginReasoning(u markerUse, at int, text string) {
	t := &s.reasoning
	if t.inside && t.hasText {
		s.emitContent(at, text)
		return
	}
	t.inside, t.hasText, t.delimiters, t.openerSpan, t.opener = true, false, u.delimiters, diag.Bytes(at, at+len(text)), text
}

// canCloseReasoning reports whether a closer of w can end open reasoning.
func (s *Scanner) canCloseReasoning(w *delimiters) bool {
	t := &s.reasoning
	return t.inside && (t.delimiters == w || t.delimiters == nil && len(s.markers.dialects) == 1)
}

func (s *Scanner) endReasoning(u markerUse, at int, text string) {
	t := &s.reasoning
	place := diag.Bytes(at, at+len(text))
	switch {
	case t.inside && (t.delimiters == nil || t.delimiters == u.delimiters):
		t.inside, t.ended = false, true
		s.foreign, s.list = fence{}, openList{}
	case t.inside:
		s.emitContent(at, text)
		return
	case t.ended:
		s.emitContent(at, text)
		if s.revoked == s.calls {
			s.reportStrayMarker(at, text)
		}
		s.revokeCalls(diag.New(diag.CallInReasoning, place, "reasoning seems to end again after this call, which does not count"))
	case u.delimiters.needsOpener:
		s.reportStrayMarker(at, text)
	default:
		t.ended = true
		s.revokeCalls(diag.New(diag.CallInReasoning, place, "the reasoning that ends here contains this call, which does not count"))
		s.emit(Event{ContentWasReasoning: true})
		s.restartAnswer()
	}
	s.state = s.stateBetweenFrames()
}

// restartAnswer resets the state: the answer only begins now.
func (s *Scanner) restartAnswer() {
	s.surrounding, s.foreign, s.list, s.frame, s.callHolders, s.ids = surroundingText{}, fence{}, openList{}, frame{}, 0, idSet{}
	s.unmatched, s.elements = unmatchedOpen{}, toolElements{}
	s.hasBegun, s.callsOnly, s.workEnded, s.rawTextDialects, s.detected = false, false, false, nil, detected{}
	if len(s.markers.dialects) == 1 {
		s.detected.dialect = s.markers.dialects[0]
	}
}

// reportStrayMarker reports a marker without a meaning here. Removing it is unsafe: the text around it could
// form a marker or a call.
func (s *Scanner) reportStrayMarker(at int, text string) {
	place := diag.Bytes(at, at+len(text))
	f := diag.New(diag.StrayMarker, place, "%s closes nothing", excerpt(text))
	f.Fixes = newFix(diag.Unsafe, "remove it", diag.Edit{Start: place.Start, End: place.End})
	s.report(f)
}

// draftReason explains why a call in reasoning is not run.
func (t *reasoningState) draftReason() string {
	since := "from the start of the response"
	if t.delimiters != nil {
		since = "since " + t.opener
	}
	return "reasoning is open " + since + ": this call is a draft and is not run"
}

// closeReasoning reports reasoning that is open at the end of the text.
func (s *Scanner) closeReasoning() {
	t := &s.reasoning
	if t.inside && t.delimiters != nil {
		s.report(diag.New(diag.UnclosedReasoning, t.openerSpan, "the reasoning opened here is not closed"))
	}
}

// StripReasoning removes reasoning in the delimiters of most models, and reports whether there was any.
func StripReasoning(text string) (rest string, hasReasoning bool) {
	r := Scan(text, Options{Dialect: Dialect{Name: "words"}})
	return r.Content, r.Reasoning != "" || len(r.Content) < len(text)
}
