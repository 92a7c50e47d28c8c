package dialect

import (
	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
)

// An Event is a part of the response. Exactly one field is set.
type Event struct {
	Content   string        // text outside calls and reasoning
	Reasoning string        // reasoning text outside calls
	Call      *chat.Call    // complete or faulty
	Finding   *diag.Finding // with byte offsets, and the index of its call
	// Revoked invalidates all calls so far: they are drafts, or parts of an argument. A finding for each of them
	// precedes it.
	Revoked bool
	// ContentWasReasoning turns all content so far into reasoning: its closing marker has come, and the opening one
	// was in the prompt.
	ContentWasReasoning bool
}

// A sink emits the events of a response: the text outside calls, and the calls and findings of the frame
// readers. It keeps the state on which the meaning of text and calls depends.
type sink struct {
	markers *markerSet
	tools   Toolset
	emit    func(Event)
	whole   string // the whole response, if known
	*bodyPool

	inputPosition

	// Text outside calls.
	unemittedText
	foreign       fence // the open fence without calls, if any
	reasoning     reasoningState
	message       messageState
	surrounding   surroundingText
	precedingWord lastWord
	unmatched     unmatchedOpen
	suspected     suspectedCalls

	// Frames.
	frame           frame
	callHolders     int  // fences and bare JSON values with calls
	callsOnly       bool // the dialect of the last frame allows nothing but calls
	detected        detected
	resync          resync
	rawTextDialects []*Dialect // of calls with text values, which can contain markers

	emittedCalls
}

// An inputPosition is the position in the response.
type inputPosition struct {
	at       int    // offset of the next byte
	last     byte   // the byte before it
	steps    int    // bytes and pieces inspected; tests count them
	pushback []byte // bytes read that will be read again
}

// emittedCalls describe the calls so far.
type emittedCalls struct {
	calls       int       // their number
	revoked     int       // how many of them are revoked
	hasCall     bool      // a call outside reasoning is not revoked
	nameSpan    diag.Span // of the name of the latest call
	ids         idSet
	lastCall    lastCall
	callCut     bool // the latest call was cut off
	unbalanced  bool // its brackets do not match, which explains later strays
	afterResult bool // the model has fabricated a result of an earlier call
	workEnded   bool // the call that ends the work has been made
}

// An unemittedText is text outside calls that is not emitted yet, with the state on which its meaning depends.
type unemittedText struct {
	held              []byte     // bytes that become content unless they belong to a marker or frame
	heldAt            int        // offset of held
	contentEnd        int        // offset after the latest content; tests compare it with the text
	hasBegun          bool       // a non-blank byte has been read
	textLine          lineState  // state of the line before held
	linePrefix        linePrefix // prefix of the line before held
	quoteHasCall      bool       // the block quote, or one on the lines before, shows a marker of calls
	afterQuotedMarker bool       // only blanks separate held from a quoted marker of calls
}

// isLineBlank reports whether the line before held is blank.
func (u *unemittedText) isLineBlank() bool { return u.linePrefix == onlyBlanks }
