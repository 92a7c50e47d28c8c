package dialect

import (
	"slices"

	"oneshot/pkg/diag"
)

// Reasoning says where a response may hold what its model thinks.
type Reasoning int

// The ways to look for reasoning.
const (
	// ReasoningAuto reads the marks of reasoning where they stand. A closing mark
	// without an opening one means that all before it was reasoning: the opening
	// mark was in the prompt.
	ReasoningAuto Reasoning = iota
	// ReasoningOpen says that the response begins inside reasoning.
	ReasoningOpen
	// ReasoningOff makes text of the marks of reasoning.
	ReasoningOff
)

// A wrapper is the marks around reasoning.
type wrapper struct {
	name  string
	whole bool // no prompt opens it: a closing mark alone means nothing
	mixed bool // its closing mark ends other messages, too, and means nothing outside
	marks []mark
}

// tags returns the wrapper of an opening and a closing mark.
func tags(open, end string) *wrapper {
	return &wrapper{name: open + "…" + end, marks: []mark{{text: open, role: thinks}, {text: end, role: thought}}}
}

// ends returns the marks that end the reasoning.
func (w *wrapper) ends() []string {
	var all []string
	for _, m := range w.marks {
		if m.role == thought {
			all = append(all, m.text)
		}
	}
	return all
}

// thinkTags is what most models write.
var thinkTags = tags("<think>", "</think>")

// scratchPad is what Hermes was taught besides.
var scratchPad = tags("<scratch_pad>", "</scratch_pad>")

// wrappers returns the wrappers of reasoning in a dialect. What most models write
// counts in each: a call that is only thought of must not be run.
func (d *Dialect) wrappers() []*wrapper {
	if slices.Contains(d.framing.thinks, thinkTags) {
		return d.framing.thinks
	}
	return append(slices.Clip(d.framing.thinks), thinkTags)
}

// A thinking is what is known of the reasoning in a response.
type thinking struct {
	mode    Reasoning
	inside  bool
	wrapper *wrapper // whose opening mark was read; nil if that was in the prompt
	from    diag.Span
	mark    string // that mark
	text    bool   // something stands in it
	ended   bool   // some has ended
}

// beginThinking follows an opening mark. Inside reasoning it is text, but for
// one at the very start: the prompt, or the model, has opened it already.
func (s *Scanner) beginThinking(u use, at int, text string) {
	t := &s.thinking
	if t.inside && t.text {
		s.content(at, text)
		return
	}
	t.inside, t.text, t.wrapper, t.from, t.mark = true, false, u.wrapper, diag.Bytes(at, at+len(text)), text
}

// isOpen reports whether reasoning is open that a closing mark of a wrapper can end.
func (s *Scanner) isOpen(w *wrapper) bool {
	t := &s.thinking
	return t.inside && (t.wrapper == w || t.wrapper == nil && len(s.marks.rows) == 1)
}

// endThinking follows a closing mark.
func (s *Scanner) endThinking(u use, at int, text string) {
	t := &s.thinking
	place := diag.Bytes(at, at+len(text))
	switch {
	case t.inside && (t.wrapper == nil || t.wrapper == u.wrapper):
		t.inside, t.ended = false, true
		s.foreign, s.wrap = fence{}, wrap{}
	case t.inside:
		s.content(at, text)
		return
	case t.ended:
		s.content(at, text)
		if s.gone == s.calls {
			s.stray(at, text)
		}
		s.revoke(diag.New(diag.InReasoning, place, "reasoning seems to end once more behind this call, which does not count"))
	case u.wrapper.whole:
		s.stray(at, text)
	default:
		t.ended = true
		s.revoke(diag.New(diag.InReasoning, place, "the reasoning that ends here holds this call, which does not count"))
		s.emit(Event{Before: true})
		s.startOver()
	}
	s.place = s.betweenFrames()
}

// startOver forgets what was known of the answer: it begins only now.
func (s *Scanner) startOver() {
	s.outside, s.foreign, s.wrap, s.frame, s.holders, s.ids = outside{}, fence{}, wrap{}, frame{}, 0, idSet{}
	s.claim, s.elements = claim{}, toolElements{}
	s.begun, s.alone, s.ended, s.raw, s.detected = false, false, false, nil, detected{}
	if len(s.marks.rows) == 1 {
		s.detected.row = s.marks.rows[0]
	}
}

// stray reports a mark that means nothing where it stands. Without it what stands
// before and behind it could mean something together.
func (s *Scanner) stray(at int, text string) {
	place := diag.Bytes(at, at+len(text))
	f := diag.New(diag.StrayMarker, place, "%s closes nothing", excerpt(text))
	f.Fixes = fix(diag.Unsafe, "remove it", diag.Edit{Start: place.Start, End: place.End})
	s.find(f)
}

// draftReason says why a call inside reasoning is not run.
func (t *thinking) draftReason() string {
	since := "from the start of the response"
	if t.wrapper != nil {
		since = "since " + t.mark
	}
	return "reasoning is open " + since + ": this call is a draft, and is not run"
}

// endOfReasoning reports reasoning that the end of the text cuts off.
func (s *Scanner) endOfReasoning() {
	t := &s.thinking
	if t.inside && t.wrapper != nil {
		s.find(diag.New(diag.OpenReasoning, t.from, "the reasoning that begins here is not closed"))
	}
}

// Said returns a text without what its model thinks, as most models mark that,
// and whether there was any.
func Said(text string) (said string, thought bool) {
	r := Scan(text, Options{Dialect: Dialect{Name: "words"}})
	return r.Content, r.Reasoning != "" || len(r.Content) < len(text)
}
