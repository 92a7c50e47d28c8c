package dialect

import (
	"cmp"
	"strings"
)

// A lineState is what is known of the line of text before the next byte: whether that
// is in inline code, or right after a quote.
type lineState struct {
	lastByte  byte // the byte before; 0 if that belongs to a marker or a frame
	tickRun   int  // how many backticks are right before
	openTicks int  // how many backticks have opened the inline code that is open; 0 for none
	reported  bool // there is a finding about what it quotes
}

// add takes in text, and returns how many bytes were looked at.
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
			l.endRun()
		}
		if k < 0 {
			break
		}
		l.tickRun++
		rest = rest[k+1:]
	}
	return looked
}

// endRun takes in what the backticks mean after which another byte is. Three
// and more are a fence: they are no inline code.
func (l *lineState) endRun() {
	switch l.tickRun {
	case l.openTicks:
		l.openTicks = 0
	case 1, 2:
		l.openTicks = cmp.Or(l.openTicks, l.tickRun)
	}
	l.tickRun = 0
}

// inCode reports whether what comes next is in inline code.
func (l lineState) inCode() bool {
	l.endRun()
	return l.openTicks > 0
}

// isAfterTick reports whether backticks are right before.
func (l lineState) isAfterTick() bool { return l.tickRun == 1 || l.tickRun == 2 }

// isAfterQuote reports whether a quote, or a backslash, is right before.
func (l lineState) isAfterQuote() bool { return strings.IndexByte("\"'`\\", l.lastByte) >= 0 }
