package dialect

import (
	"cmp"
	"strings"
)

// A lineState describes the line before the next byte: whether that byte is in inline code, or right after a
// quote.
type lineState struct {
	lastByte  byte // 0 if it belongs to a marker or a frame
	tickRun   int  // backticks right before
	openTicks int  // backticks that opened the open inline code; 0 for none
	reported  bool // a finding about a quoted marker was reported
}

// add updates the state with text, and returns the number of bytes inspected.
func (l *lineState) add(text string) (looked int) {
	i := 1 + strings.LastIndexByte(text, '\n')
	looked = len(text) - i
	if i > 0 {
		*l = lineState{}
	}
	l.lastByte = text[len(text)-1]
	for rest := text[i:]; rest != ""; {
		k := strings.IndexByte(rest, '`')
		if k != 0 {
			l.endTickRun()
		}
		if k < 0 {
			break
		}
		l.tickRun++
		rest = rest[k+1:]
	}
	return looked
}

// endTickRun interprets a run of backticks that has ended. Three or more are a fence, not inline code.
func (l *lineState) endTickRun() {
	switch l.tickRun {
	case l.openTicks:
		l.openTicks = 0
	case 1, 2:
		l.openTicks = cmp.Or(l.openTicks, l.tickRun)
	}
	l.tickRun = 0
}

// isInInlineCode reports whether the next byte is in inline code.
func (l lineState) isInInlineCode() bool {
	l.endTickRun()
	return l.openTicks > 0
}

// isAfterTick reports whether the next byte follows backticks.
func (l lineState) isAfterTick() bool { return l.tickRun == 1 || l.tickRun == 2 }

// isAfterQuote reports whether the next byte follows a quote or a backslash.
func (l lineState) isAfterQuote() bool { return strings.IndexByte("\"'`\\", l.lastByte) >= 0 }
