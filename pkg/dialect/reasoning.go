package dialect

import (
	"slices"
	"sync"

	"oneshot/pkg/diag"
)

// ReasoningDelimiters returns the names of the markers around reasoning in this dialect.
func (d Dialect) ReasoningDelimiters() []string {
	var names []string
	for _, w := range d.reasoningDelimiters() {
		names = append(names, w.name)
	}
	return names
}

// Reasoning selects how reasoning in a response is recognized.
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

// promptedTags are delimiters that no model has been trained on in a dialect here, but that prompts ask for.
var promptedTags = []*delimiters{newDelimiters("<thinking>", "</thinking>"), newDelimiters("<thought>", "</thought>"), newDelimiters("<reasoning>", "</reasoning>")}

// reasoningDelimiters returns the delimiters that models of a dialect write.
func (d *Dialect) reasoningDelimiters() []*delimiters {
	if slices.Contains(d.framing.reasoning, thinkTags) {
		return d.framing.reasoning
	}
	return append(slices.Clip(d.framing.reasoning), thinkTags)
}

// commonDelimiters are the delimiters that count in every dialect: a model that writes a dialect from a prompt keeps
// its usual reasoning markers, and a call in reasoning must not run. Delimiters that are words of ordinary text count
// in their own dialect only.
var commonDelimiters = sync.OnceValue(func() []*delimiters {
	all := []*delimiters{thinkTags}
	for i := range Dialects() {
		for _, w := range Dialects()[i].framing.reasoning {
			isKnown := slices.ContainsFunc(all, func(other *delimiters) bool { return other.name == w.name })
			if first := w.markers[0].text[0]; !isKnown && (first < 'A' || first > 'Z') {
				all = append(all, w)
			}
		}
	}
	return append(all, promptedTags...)
})

// A reasoningState is the state of reasoning in a response.
type reasoningState struct {
	mode       Reasoning
	inside     bool
	delimiters *delimiters // of the open reasoning; nil if the prompt opened it
	openerSpan diag.Span
	opener     string // its opening marker
	hasText    bool   // it has text
	isQuoted   bool   // a block quote contains its opening marker
	ended      bool   // some reasoning has ended
	mentioned  bool   // an opening marker was text
}

// draftReason explains why a call in reasoning is not run.
func (t *reasoningState) draftReason() string {
	since := "from the start of the response"
	if t.delimiters != nil {
		since = "since " + t.opener
	}
	return "reasoning is open " + since + ": this call is a draft and is not run"
}
