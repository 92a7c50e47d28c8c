package jsonrepair

import (
	"strconv"
	"strings"
	"unicode/utf8"

	"oneshot/pkg/quote"
)

// A piece is one string between quotation marks.
type piece struct {
	mark     quoteMark
	from, to int  // its content
	next     int  // behind its closing mark; to if that is missing
	cut      bool // the text ends in it
	doubled  bool // both quotation marks are written twice
	guessed  bool // its closing mark is of another kind, or marks in it could be the closing one
	bare     bool // it has no quotation marks: only quotes have escapes
}

// readString reads a string, or several that are joined. A string with a plus behind
// it is joined with the next, and so is one that another follows as the rest of a
// member's value.
func (r *reader) readString(isKey bool) {
	p := r.scanStringPiece(isKey)
	r.writeQuote(r.at, p.from, true)
	for r.writeContent(p); !isKey && !p.cut; {
		i := r.blanksEnd(p.next)
		if i < r.end && r.text[i] == '+' {
			i = r.blanksEnd(i + 1)
		} else if f := r.top(); f == nil || !f.object || p.next == p.to || i == p.next {
			break
		}
		if !r.isQuoteAt(i) || r.isKeyAt(i) {
			break
		}
		r.at = i
		q := r.scanStringPiece(false)
		r.edit(p.to, q.from, "", false)
		p = q
		r.writeContent(p)
	}
	switch {
	case p.cut:
		r.cut = true
		r.insert(p.to, `"`)
		r.edit(p.to, p.next, "", false)
	case p.next == p.to:
		r.insert(p.to, `"`)
	default:
		r.writeQuote(p.to, p.next, !p.guessed)
	}
	r.at = p.next
}

// writeQuote writes a double quote for another mark. The edit is never safe for a
// mark that is doubled or has a backslash.
func (r *reader) writeQuote(start, end int, safe bool) {
	if mark := r.text[start:end]; mark != `"` {
		r.edit(start, end, `"`, safe && (mark == "'" || mark == "`" || mark[0] >= 0x80))
	}
}

// quoteText makes a string of text without quotes.
func (r *reader) quoteText(start, end int, safe bool) {
	r.edit(start, start, `"`, safe)
	r.writeContent(piece{mark: quoteMark{char: '"'}, from: start, to: end, bare: true})
	r.edit(end, end, `"`, safe)
}

// scanStringPiece finds the content of the string at the current position.
func (r *reader) scanStringPiece(isKey bool) piece {
	p := piece{mark: r.quoteAt(r.at)}
	p.from = r.at + p.mark.width
	mark := r.text[r.at:p.from]
	if c := mark[0]; (c == '"' || c == '\'') && strings.HasPrefix(r.text[p.from:r.end], mark) {
		triple := mark + mark + mark
		if from := r.at + 3; strings.HasPrefix(r.text[r.at:r.end], triple) {
			n := strings.Index(r.text[from:r.end], triple)
			if n >= 0 {
				r.steps += n
				p.from, p.to, p.next, p.guessed = from, from+n, from+n+3, true
				return p
			}
			r.chargeBudget(r.end - from)
		}
		if i := p.from + 1; i < r.end && isWordByte(r.text[i]) && !r.isKeyAt(i) {
			p.from++
			p.doubled = true
		}
	}
	s := scan{reader: r, p: p, isKey: isKey}
	return s.findStringEnd()
}

// chargeBudget charges the budget for bytes that will be scanned again.
func (r *reader) chargeBudget(n int) {
	r.budget -= n
	r.steps += n
	r.failed = r.failed || r.budget < 0
}

// writeContent edits characters that JSON does not allow between quotation marks.
func (r *reader) writeContent(p piece) {
	for i := p.from; i < p.to; {
		c, w := utf8.DecodeRuneInString(r.text[i:p.to])
		switch {
		case c == '\\' && p.bare && !strings.HasPrefix(r.text[i:p.to], `\"`):
			r.edit(i, i+1, `\\`, false)
		case c == '\\':
			w = r.writeEscape(i, p)
		case c == '"':
			r.edit(i, i+1, `\"`, p.mark.char != '"')
		case c < 0x20:
			r.edit(i, i+1, string(quote.AppendJSONRune(nil, c)), true)
		case c == utf8.RuneError && w == 1:
			r.edit(i, i+1, "\ufffd", false)
		}
		i += w
	}
	r.steps += p.to - p.from
}

// writeEscape edits an escape that JSON does not have, and returns its length.
func (r *reader) writeEscape(i int, p piece) int {
	rest := r.text[i:p.to]
	if p.mark.escaped { // the document was escaped once more
		for _, e := range [...]string{`\\\"`, `\\"`, `\\\\`} {
			if strings.HasPrefix(rest, e) {
				r.edit(i, i+len(e), `\`+e[len(e)-1:], false)
				return len(e)
			}
		}
		if strings.HasPrefix(rest, `\\`) && len(rest) > 2 && strings.IndexByte("btnfru/", rest[2]) >= 0 {
			r.edit(i, i+1, "", false)
			return 1
		}
	}
	if n := escapeLen(rest); n > 0 {
		return n
	}
	if rest[1:] != "" && (rest[1] == 'x' || rest[1] == 'U') { // of JavaScript or Python
		if c, _, tail, err := strconv.UnquoteChar(rest, 0); err == nil {
			n := len(rest) - len(tail)
			r.edit(i, i+n, string(quote.AppendJSONRune(nil, c)), false)
			return n
		}
	}
	next, w := utf8.DecodeRuneInString(rest[1:])
	if next < 0x20 && w == 1 || next != '"' && isQuoteChar(next) {
		r.edit(i, i+1, "", false) // a quote needs no backslash, and a line end is kept
	} else {
		r.edit(i, i+1, `\\`, false) // most are in Windows paths and regular expressions
	}
	return 1
}

// escapeLen returns the length of the JSON escape at the start of a text: 0 if there
// is none, none if the text ends in it.
func escapeLen(text string) int {
	switch {
	case len(text) == 1:
		return none
	case text[1] != 'u' && strings.IndexByte(`"\/bfnrt`, text[1]) < 0:
		return 0
	case text[1] != 'u':
		return 2
	}
	digits := text[2:min(len(text), 6)]
	if strings.Trim(digits, "0123456789abcdefABCDEF") != "" {
		return 0
	}
	if len(digits) < 4 {
		return none
	}
	return 6
}
