package dialect

import (
	"bytes"
	"strings"
)

// An unmatchedOpen is an opening marker of calls without a call or a finding after it so far. It may enclose
// calls, or begin a call that turned out to be none.
type unmatchedOpen struct {
	isOpen       bool
	reported     bool
	midLine      bool   // text precedes it on its line
	markerAt     int    // offset of the marker
	textAt       int    // offset after the marker
	callsBefore  int    // number of calls before it
	blankCount   int    // number of blanks after it
	hasLineBreak bool   // a newline follows it
	text         []byte // after the marker, at most maxUnmatchedText bytes
}

// maxUnmatchedText bounds the text kept after a marker: the longest name and its delimiters.
const maxUnmatchedText = maxToolName + 8

// appendText appends text after the marker, and returns the number of bytes inspected.
func (c *unmatchedOpen) appendText(text string) int {
	if !c.isOpen || len(c.text) == maxUnmatchedText {
		return 0
	}
	rest := text
	if len(c.text) == 0 {
		rest = strings.TrimLeft(text, " \t\r\n")
		blanks := text[:len(text)-len(rest)]
		c.blankCount += len(blanks)
		c.hasLineBreak = c.hasLineBreak || strings.ContainsAny(blanks, "\r\n")
	}
	n := min(len(rest), maxUnmatchedText-len(c.text))
	c.text = append(c.text, rest[:n]...)
	return len(text) - len(rest) + n
}

// firstName returns the name after the marker, bare or as a tag name, and the byte after it, or 0.
func (c *unmatchedOpen) firstName() (name string, next byte) {
	text := bytes.TrimPrefix(c.text, []byte{'<'})
	n := 0
	for n < len(text) && isNameByte(text[n]) && (n > 0 || text[0] != '.' && text[0] != '-') {
		n++
	}
	if n < len(text) {
		next = text[n]
	}
	return string(text[:n]), next
}

// isMentioned reports whether a sentence continues after the marker: not if the text is on lines of its own,
// follows directly, or looks like a call.
func (c *unmatchedOpen) isMentioned(name string, next byte, inLine bool) bool {
	switch {
	case c.hasLineBreak && !(c.midLine && inLine):
		return false
	case strings.IndexByte("<{[", c.text[0]) >= 0:
		return false
	case name == "": // punctuation
		return true
	}
	return c.blankCount > 0 && strings.IndexByte("({[<=", next) < 0
}
