package dialect

import (
	"slices"

	"oneshot/pkg/diag"
)

// Reasoning says where a response may hold what its model thinks.
type Reasoning int

// The ways to look for reasoning.
const (
	// ReasoningAuto reads the reasoning markers where they are. A closing marker
	// without an opening one means that all before it was reasoning: the opening
	// marker was in the prompt.
	ReasoningAuto Reasoning = iota
	// ReasoningOpen says that the response begins inside reasoning.
	ReasoningOpen
	// ReasoningOff makes text of the reasoning markers.
	ReasoningOff
)

// A delimiters is the markers around reasoning.
type delimiters struct {
	name         string
	needsOpener  bool // no prompt opens it: a closing marker alone means nothing
	sharedCloser bool // its closing marker ends other messages as well, and means nothing outside
	markers      []marker
}

// newDelimiters returns the wrapper of an opening and a closing marker.
func newDelimiters(open, end string) *delimiters {
	return &delimiters{name: open + "…" + end, markers: []marker{{text: open, role: reasoningOpen}, {text: end, role: reasoningClose}}}
}

// closers returns the markers that end the reasoning.
func (w *delimiters) closers() []string {
	var all []string
	for _, m := range w.markers {
		if m.role == reasoningClose {
			all = append(all, m.text)
		}
	}
	return all
}

// thinkTags is what most models write.
var thinkTags = newDelimiters("<think>", "</think>")

// scratchPad is what Hermes was taught besides.
var scratchPad = newDelimiters("<scratch_pad>", "</scratch_pad>")

// reasoningDelimiters returns the wrappers of reasoning in a dialect. What most models write
// counts in each: a call that is only thought of must not be run.
func (d *Dialect) reasoningDelimiters() []*delimiters {
	if slices.Contains(d.framing.reasoning, thinkTags) {
		return d.framing.reasoning
	}
	return append(slices.Clip(d.framing.reasoning), thinkTags)
}

// A reasoningState is what is known of the reasoning in a response.
type reasoningState struct {
	mode       Reasoning
	inside     bool
	delimiters *delimiters // whose opening marker was read; nil if that was in the prompt
	openerSpan diag.Span
	opener     string // that marker
	hasText    bool   // something is in it
	ended      bool   // some has ended
}

// beginReasoning follows an opening marker. Inside reasoning it is text, but for
// one at the very start: the prompt, or the model, has opened it already.
func (s *Scanner) beginReasoning(u markerUse, at int, text string) {
	t := &s.reasoning
	if t.inside && t.hasText {
		s.emitContent(at, text)
		return
	}
	t.inside, t.hasText, t.delimiters, t.openerSpan, t.opener = true, false, u.delimiters, diag.Bytes(at, at+len(text)), text
}

// canCloseReasoning reports whether reasoning is open that a closing marker of a wrapper can end.
func (s *Scanner) canCloseReasoning(w *delimiters) bool {
	t := &s.reasoning
	return t.inside && (t.delimiters == w || t.delimiters == nil && len(s.markers.dialects) == 1)
}

// endReasoning follows a closing marker.
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

// restartAnswer forgets what was known of the answer: it begins only now.
func (s *Scanner) restartAnswer() {
	s.surrounding, s.foreign, s.list, s.frame, s.callHolders, s.ids = surroundingText{}, fence{}, openList{}, frame{}, 0, idSet{}
	s.unmatched, s.elements = unmatchedOpen{}, toolElements{}
	s.hasBegun, s.callsOnly, s.workEnded, s.rawTextDialects, s.detected = false, false, false, nil, detected{}
	if len(s.markers.dialects) == 1 {
		s.detected.dialect = s.markers.dialects[0]
	}
}

// reportStrayMarker reports a marker that means nothing where it is. Without it what is
// before and after it could mean something together.
func (s *Scanner) reportStrayMarker(at int, text string) {
	place := diag.Bytes(at, at+len(text))
	f := diag.New(diag.StrayMarker, place, "%s closes nothing", excerpt(text))
	f.Fixes = fix(diag.Unsafe, "remove it", diag.Edit{Start: place.Start, End: place.End})
	s.report(f)
}

// draftReason says why a call inside reasoning is not run.
func (t *reasoningState) draftReason() string {
	since := "from the start of the response"
	if t.delimiters != nil {
		since = "since " + t.opener
	}
	return "reasoning is open " + since + ": this call is a draft and is not run"
}

// closeReasoning reports reasoning that the end of the text cuts off.
func (s *Scanner) closeReasoning() {
	t := &s.reasoning
	if t.inside && t.delimiters != nil {
		s.report(diag.New(diag.UnclosedReasoning, t.openerSpan, "the reasoning opened here is not closed"))
	}
}

// StripReasoning returns a text without what its model thinks, as most models mark that,
// and whether there was any.
func StripReasoning(text string) (said string, thought bool) {
	r := Scan(text, Options{Dialect: Dialect{Name: "words"}})
	return r.Content, r.Reasoning != "" || len(r.Content) < len(text)
}
