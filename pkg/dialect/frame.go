package dialect

import (
	"slices"

	"oneshot/pkg/diag"
	"oneshot/pkg/literal"
)

// rawFence ends JSON outside fences: it begins a fence.
var rawFence = literal.Fence{Char: '`', Len: 3}

// A fence is a run of fence characters.
type fence struct {
	char            byte
	length          int
	at              int  // its offset
	isCode          bool // a language: text in it that looks like a call is only code
	isLate          bool // text precedes it on its line: Markdown reads no fence
	reported        bool // a finding about isCode was reported
	quotesReasoning bool // it quotes a marker that opens reasoning
}

func (f fence) isOpen() bool { return f.length > 0 }

// isOpenInMarkdown reports whether the fence is open and Markdown reads it as well.
func (f fence) isOpenInMarkdown() bool { return f.isOpen() && !f.isLate }

// closes reports whether the run closes the other one's fence.
func (f fence) closes(other fence) bool {
	return f.char == other.char && f.length >= other.length
}

func (f fence) span() diag.Span { return diag.Bytes(f.at, f.at+f.length) }

// An opening is the opening line of a candidate fence of calls.
type opening struct {
	info      string // the info string, in lower case
	infoAt    int
	end       int  // offset after it
	heldLen   int  // bytes of the line in the held bytes
	textAt    int  // offset of text after the info string; 0 for none
	wrongCase bool // the info string is not in lower case
}

// reopeningInfo returns the info string that certainly opens another fence like this one, or "".
func (f *frame) reopeningInfo() string {
	if forms := f.dialect.framing.fences; len(forms) > 0 {
		return forms[0].info
	}
	return ""
}

// A frame is a part of the response that may contain calls: after a marker, in a fence, or JSON outside fences,
// which has neither marker nor fence.
type frame struct {
	dialect *Dialect
	grammar *grammar
	fence
	opening          opening  // the opening line of the fence
	marker           string   // the marker that opens it, "" for none
	evidence         string   // other evidence that it contains calls
	missingOpener    string   // the marker missing before it
	rivals           rivals   // other dialects that it may be in
	at               int      // start offset
	bodyAt           int      // where its body starts
	endAt            int      // after its last byte; 0 if it has no end of its own
	certain          bool     // its marker or info string alone shows that it contains calls
	callsBefore      int      // number of calls before it
	leftover         leftover // after leftRun and leftOther
	reportedNotACall bool     // a NotACall finding about it was reported
}

// A leftover is text after the end of a frame that the body has begun to read: a run of fence characters, or the
// rest of an object.
type leftover struct {
	fence literal.Fence // the run, or the fence that ends the object
	at    int           // its offset
	lit   *literal.Scanner
}

// A body parses the content of a frame.
type body interface {
	// write reads p up to the end of the frame and returns how the frame ended.
	write(p []byte) (n int, end frameEnd)
	// close handles the end of the text.
	close()
}

// A frameEnd is the way in which a frame ended.
type frameEnd int

const (
	notYet    frameEnd = iota
	closed             // at the run that closes its fence
	ended              // at its last byte
	left               // no more calls: the next byte is text
	leftRun            // the same, and a run of fence characters follows
	leftOther          // the same, and the rest of a skipped object follows
)

// rivals are uses of a marker, selected by bits.
type rivals struct {
	uses  []markerUse
	count uint64
}

// dialectNames returns the names of the dialects of the selected uses.
func (o rivals) dialectNames() []string {
	var names []string
	for i, u := range o.uses {
		if o.count>>i&1 != 0 && !slices.Contains(names, u.dialect.Name) {
			names = append(names, u.dialect.Name)
		}
	}
	return names
}
