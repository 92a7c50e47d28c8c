package literal

import (
	"fmt"
	"slices"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
)

// Bounds of what is kept about one call, however much is wrong with it.
const (
	mostNotes  = 100     // findings about things that were tolerated
	fixesBytes = 1 << 18 // edits of their fixes
)

// A report is what there is to say about the current call.
type report struct {
	end       int // offset behind what was read
	notes     []diag.Finding
	keywords  mend // of keyword arguments
	spent     int  // bytes of edits
	invalid   bool
	truncated bool
	ambiguous bool
	repaired  bool
	changed   bool // a repair may have changed a value
}

// A mend collects the edits of one fix.
type mend struct {
	start, end int  // the first place
	count      int  // how often it was needed
	whole      bool // the edits mend one thing together
	edits      []diag.Edit
}

func (m *mend) add(e diag.Edit) {
	if m.count == 0 && m.end == 0 {
		m.start, m.end = e.Start, e.End
	}
	m.count++
	m.edits = append(m.edits, e)
}

// mend adds an edit to a fix of the current string while there is room.
func (s *Scanner) mend(m *mend, e diag.Edit) {
	if !s.reading() {
		return
	}
	s.spent += 32 + len(e.New)
	s.str.mended = true
	m.add(e)
	if s.spent > fixesBytes {
		m.edits = nil
	}
}

// Findings returns what there is to say about the last call, statement or
// value, in the order of the text. A statement that is no call has no finding
// of its own; see [Scanner.Junk].
func (s *Scanner) Findings() []diag.Finding {
	if len(s.notes) == 0 {
		return nil
	}
	findings := slices.Clone(s.notes)
	diag.Sort(findings)
	return findings
}

func (s *Scanner) status() chat.Status {
	switch {
	case s.invalid:
		return chat.StatusInvalid
	case s.truncated:
		return chat.StatusTruncated
	case s.state == Bad || s.state == Fenced || s.state == Stopped:
		return chat.StatusInvalid
	case s.ambiguous:
		return chat.StatusAmbiguous
	case s.repaired:
		return chat.StatusRepaired
	}
	return chat.StatusOK
}

func (s *Scanner) add(f diag.Finding) {
	s.notes = append(s.notes, f)
	s.used = true
}

// A note is a finding whose fix may still be added.
type note struct{ finding *diag.Finding }

func (n note) fix(title string, kind diag.FixKind, edits ...diag.Edit) {
	if n.finding != nil && len(edits) > 0 {
		n.finding.Fixes = append(n.finding.Fixes, diag.Fix{Title: title, Kind: kind, Edits: edits})
	}
}

// note records something that was tolerated.
func (s *Scanner) note(code diag.Code, start, end int, severity diag.Severity, format string, args ...any) note {
	s.repaired = s.repaired || severity.Rank() >= diag.Warning.Rank()
	if len(s.notes) >= mostNotes {
		return note{}
	}
	f := diag.New(code, diag.Bytes(start, end), format, args...)
	f.Severity, f.Path = severity, s.args.path()
	s.add(f)
	return note{&s.notes[len(s.notes)-1]}
}

// noteMend records what a mend has mended.
func (s *Scanner) noteMend(code diag.Code, m mend, fix diag.FixKind, title, message string) {
	if m.count == 0 {
		return
	}
	if m.count > 1 && !m.whole {
		message += fmt.Sprintf(" (%d times)", m.count)
	}
	if s.spent > fixesBytes || s.verbatim() {
		m.edits = nil
	}
	s.note(code, m.start, m.end, diag.Warning, "%s", message).fix(title, fix, m.edits...)
}

// verbatim reports whether the current string should stand between marks, where nothing is an escape.
func (s *Scanner) verbatim() bool { return s.private != "" && !s.str.key }

// noteString records what was tolerated in the string that has just ended.
func (s *Scanner) noteString(end int) {
	str := &s.str
	if !str.mended {
		return
	}
	s.noteMend(diag.RawControl, str.raw, diag.Safe, "write escapes",
		"a raw control character in a string is kept")
	s.changed = s.changed || str.escapes.count > 0
	if str.known && str.unknown {
		s.doubtBackslashes(end)
	} else {
		s.noteMend(diag.BadEscape, str.escapes, diag.Unsafe, "double the backslashes",
			"an escape that "+languageNames[s.lang]+" does not have is kept with its backslash")
	}
	s.noteKept(str.kept)
	s.noteMend(diag.UnescapedQuote, str.fences, diag.Safe, "escape the backticks",
		"a run of backticks in a template is read as text")
	if str.quotes.count > 0 && str.quotes.end < end {
		str.quotes.end = end
	}
	s.noteMend(diag.QuoteCharacter, str.quotes, diag.Safe, "write double quotes",
		"the string is not in double quotes")
	s.noteMend(diag.BadEscape, str.loose, diag.Safe, "remove the backslash",
		"JSON has no escape for this quote; it is read without the backslash")
}

// doubtBackslashes notes a string with backslashes that begin no escape, and others
// that make a control character, as in a path or a formula in which none of them was
// doubled: C:\Users\new, \frac{\alpha}. Nothing says which of the second are text: names
// begin with the letter of a line end as with any other.
func (s *Scanner) doubtBackslashes(end int) {
	const what = "the backslashes of the string are all text, or only those that begin no escape, and the others make control characters"
	if s.verbatim() {
		s.doubt(diag.BadEscape, s.token, end, what).fix("make all of them text: write the marks", diag.Unsafe, s.writeMarks(end)...)
		return
	}
	var edits []diag.Edit
	text, none := s.tokenText(), s.str.escapes.edits
	for i := 0; i+1 < len(text) && s.spent <= fixesBytes; i++ {
		at := s.token + i
		switch {
		case text[i] != '\\':
		case len(none) > 0 && none[0].Start == at:
			edits, none = append(edits, none[0]), none[1:]
			i = edits[len(edits)-1].End - 1 - s.token
		default:
			if named[text[i+1]] != 0 {
				edits = append(edits, diag.Edit{Start: at, End: at + 1, New: `\\`})
			}
			i++
		}
	}
	s.doubt(diag.BadEscape, s.token, end, what).
		fix("double all of them", diag.Unsafe, edits...)
}

// noteKept notes backslashes that Python keeps because no escape begins there.
func (s *Scanner) noteKept(m mend) {
	if m.count > 0 {
		s.note(diag.BadEscape, m.start, m.end, diag.Info, "a backslash that begins no escape is text").
			fix("double the backslashes", diag.Safe, m.edits...)
	}
}

// languageNames are the languages whose strings are read.
var languageNames = map[language]string{javaScript: "JavaScript", jsonText: "JSON", python: "Python", quoted: "JSON"}

// hints say what to do about a fault.
var hints = map[diag.Code]string{
	diag.InvalidUTF8:  "write the character itself",
	diag.NotANumber:   "write a number, a string or null",
	diag.DuplicateKey: "write every key once",
	diag.NotALiteral:  "write the value itself: a string, number, true, false, null, array or object",
	diag.BadEscape:    "double every backslash that is text",
	diag.CutCall:      "write the whole call again",
	diag.WrongCloser:  "write the call again, and close every string with its own mark",
}

// fault records why a call has no arguments, and goes on to its end.
func (s *Scanner) fault(code diag.Code, start, end int, format string, args ...any) {
	f := diag.New(code, diag.Bytes(start, max(end, start+1)), format, args...)
	f.Severity, f.Path, f.Hint = diag.Error, s.args.path(), hints[code]
	s.add(f)
	s.invalid = true
	s.passing = passing{depth: 1 + s.args.count(parenthesis), squares: s.args.count('[')}
	s.passing.begin(s.openBrackets())
	if s.goal == aQuoted {
		s.passing.depth = s.args.count('{')
	}
	keyed := s.args.keyed
	s.args.reset()
	s.args.keyed = keyed
	if s.goal == aValue || s.goal == aKey || s.goal == aQuoted && s.passing.depth == 0 {
		s.end, s.state = s.at, Bad
		return
	}
	s.phase = skipping
	if s.lang == jsonText {
		s.passing.word = s.lastWord()
	}
}

// lastWord returns the word that ends here, if one does.
func (s *Scanner) lastWord() apostrophe {
	var a apostrophe
	text := s.kept.text()
	for _, c := range []byte(text[max(0, len(text)-3):]) {
		a.add(c)
	}
	return a
}

// cut records that the text ended inside the call.
func (s *Scanner) cut() {
	what := "the value"
	switch {
	case s.goal == anObject:
		what = "the call"
	case s.goal == aQuoted:
		what = "the arguments"
	case s.goal != aValue:
		what = "the call " + excerpt(s.head.name)
	}
	if s.mode >= inText {
		what = "a string of " + what
	}
	s.cutAt(s.keptFrom, "the text ends inside "+what)
	s.truncated, s.args.out = true, s.args.out[:0]
}

func (s *Scanner) cutAt(start int, message string) {
	f := diag.New(diag.CutCall, diag.Bytes(start, s.at), "%s", message)
	f.Hint = hints[diag.CutCall]
	s.add(f)
}

// bracketFault records a closing bracket that closes nothing or the wrong one.
func (s *Scanner) bracketFault(c byte) {
	top := s.args.top()
	isOpen := slices.ContainsFunc(s.args.open, func(b bracket) bool { return b.char == opening[c] })
	if top.char == 0 || !isOpen && c == '}' {
		s.fault(diag.Bracket, s.at, s.at+1, "%q closes nothing", c)
		return
	}
	missing := s.missing()
	at := s.args.last
	s.fault(diag.Bracket, s.at, s.at+1, "%q is missing before %q", closing[top.char], c)
	switch {
	case c == ')':
		s.fixMissing(at, strings.TrimSuffix(missing, ")"))
	case c == ']' && s.goal == anObject && !strings.Contains(missing, "]"): // of the list around the object
		s.fixMissing(at, missing)
	}
}

// endedIn records that the arguments were ended by something else before their end.
func (s *Scanner) endedIn(by string) {
	if s.args.pending.text != "" {
		s.settle()
	}
	if !s.reading() {
		return
	}
	switch missing, at := s.missing(), s.args.last; {
	case s.args.want == wantColon || s.mode == inBareKey:
		s.colonMissing(s.token)
	case s.args.want == wantValue && s.args.top().char == '{' && s.mode != inBare:
		s.fault(diag.BadLiteral, s.token, s.at+1, "a value is missing before %s", by)
	default:
		s.fault(diag.Bracket, s.token, s.at+1, "%q is missing before %s", missing, by)
		s.fixMissing(at, missing)
	}
}

// missing returns the closing brackets that are missing.
func (s *Scanner) missing() string {
	var b strings.Builder
	for _, open := range slices.Backward(s.args.open) {
		b.WriteByte(closing[open.char])
	}
	return b.String()
}

func (s *Scanner) fixMissing(at int, brackets string) {
	note{&s.notes[len(s.notes)-1]}.fix("add "+brackets, diag.Unsafe, diag.Edit{Start: at, End: at, New: brackets})
}
