package dialect

import (
	"cmp"
	"strings"
)

// A line is what is known of the line of text before the next byte: whether that
// stands in inline code, or right behind a quote.
type line struct {
	last byte // the byte before; 0 if that belongs to a mark or a frame
	run  int  // how many backticks stand right before
	code int  // how many backticks have opened the inline code that is open; 0 for none
	told bool // there is a finding about what it quotes
}

// add takes in text, and returns how many bytes were looked at.
func (l *line) add(text string) (looked int) {
	i := 1 + strings.LastIndexByte(text, '\n')
	looked = len(text) - i
	if i > 0 {
		*l = line{}
	}
	l.last = text[len(text)-1]
	for rest := text[i:]; rest != ""; {
		k := strings.IndexByte(rest, '`')
		if k != 0 {
			l.endRun()
		}
		if k < 0 {
			break
		}
		l.run++
		rest = rest[k+1:]
	}
	return looked
}

// endRun takes in what the backticks mean behind which another byte stands. Three
// and more are a fence: they are no inline code.
func (l *line) endRun() {
	switch l.run {
	case l.code:
		l.code = 0
	case 1, 2:
		l.code = cmp.Or(l.code, l.run)
	}
	l.run = 0
}

// inCode reports whether what comes next stands in inline code.
func (l line) inCode() bool {
	l.endRun()
	return l.code > 0
}

// behindTick reports whether backticks stand right before.
func (l line) behindTick() bool { return l.run == 1 || l.run == 2 }

// behindQuote reports whether a quote, or a backslash, stands right before.
func (l line) behindQuote() bool { return strings.IndexByte("\"'`\\", l.last) >= 0 }
