package literal

import (
	"fmt"
	"slices"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
)

// Limits of the findings about one call.
const (
	maxFindings  = 100
	maxEditBytes = 1 << 18 // bytes of the edits of all fixes
)

// A report collects the findings about the current call.
type report struct {
	end          int // offset after the item
	findings     []diag.Finding
	keywords     fixBuilder // for keyword arguments
	editBytes    int        // size of all edits so far
	invalid      bool
	truncated    bool
	ambiguous    bool
	repaired     bool
	valueChanged bool // a repair may have changed a value
}

type fixBuilder struct {
	start, end int  // the first occurrence
	count      int  // occurrences
	single     bool // the edits together fix one thing
	edits      []diag.Edit
}

func (m *fixBuilder) add(e diag.Edit) {
	if m.count == 0 && m.end == 0 {
		m.start, m.end = e.Start, e.End
	}
	m.count++
	m.edits = append(m.edits, e)
}

// addEdit adds an edit to a fix of the current string, up to maxEditBytes.
func (s *Scanner) addEdit(m *fixBuilder, e diag.Edit) {
	if !s.isWritingOutput() {
		return
	}
	s.editBytes += 32 + len(e.New)
	s.str.hasFixes = true
	m.add(e)
	if s.editBytes > maxEditBytes {
		m.edits = nil
	}
}

// Findings returns the findings about the last call, statement or value in the order of the
// text. A statement that is not a call has none of its own; see [Scanner.NonCall].
func (s *Scanner) Findings() []diag.Finding {
	if len(s.findings) == 0 {
		return nil
	}
	findings := slices.Clone(s.findings)
	diag.Sort(findings)
	return findings
}

func (s *Scanner) status() chat.Status {
	switch {
	case s.invalid:
		return chat.StatusInvalid
	case s.truncated:
		return chat.StatusTruncated
	case s.state == Invalid || s.state == FenceClosed || s.state == Stopped:
		return chat.StatusInvalid
	case s.ambiguous:
		return chat.StatusAmbiguous
	case s.repaired:
		return chat.StatusRepaired
	}
	return chat.StatusOK
}

func (s *Scanner) add(f diag.Finding) {
	s.findings = append(s.findings, f)
	s.dirty = true
}

// A note is a finding that can still get a fix.
type note struct{ finding *diag.Finding }

func (n note) addFix(title string, kind diag.FixKind, edits ...diag.Edit) {
	if n.finding != nil && len(edits) > 0 {
		n.finding.Fixes = append(n.finding.Fixes, diag.Fix{Title: title, Kind: kind, Edits: edits})
	}
}

// note records a repaired or tolerated fault.
func (s *Scanner) note(code diag.Code, start, end int, severity diag.Severity, format string, args ...any) note {
	s.repaired = s.repaired || severity.Rank() >= diag.Warning.Rank()
	if len(s.findings) >= maxFindings {
		return note{}
	}
	f := diag.New(code, diag.Bytes(start, end), format, args...)
	f.Severity, f.Path = severity, s.args.pointer()
	s.add(f)
	return note{&s.findings[len(s.findings)-1]}
}

// noteWithFix records a finding with the collected edits as its fix.
func (s *Scanner) noteWithFix(code diag.Code, m fixBuilder, fix diag.FixKind, title, message string) {
	if m.count == 0 {
		return
	}
	if m.count > 1 && !m.single {
		message += fmt.Sprintf(" (%d times)", m.count)
	}
	if s.editBytes > maxEditBytes || s.isVerbatim() {
		m.edits = nil
	}
	s.note(code, m.start, m.end, diag.Warning, "%s", message).addFix(title, fix, m.edits...)
}

// isVerbatim reports whether the current string should be between delimiters, where nothing is
// an escape.
func (s *Scanner) isVerbatim() bool { return s.delimiter != "" && !s.str.isKey }

// noteStringRepairs records the repairs of the string that has just ended.
func (s *Scanner) noteStringRepairs(end int) {
	str := &s.str
	if !str.hasFixes {
		return
	}
	s.noteWithFix(diag.RawControl, str.controls, diag.Safe, "write escapes",
		"unescaped control character in a string; kept")
	s.valueChanged = s.valueChanged || str.badEscapes.count > 0
	if str.hasLetterEscape && str.hasUnknownEscape {
		s.noteAmbiguousBackslashes(end)
	} else {
		s.noteWithFix(diag.BadEscape, str.badEscapes, diag.Unsafe, "double the backslashes",
			"unknown "+languageNames[s.lang]+" escape; read as a literal backslash")
	}
	s.noteKeptBackslashes(str.keptBackslashes)
	s.noteWithFix(diag.UnescapedQuote, str.fences, diag.Safe, "escape the backticks",
		"backticks inside a template literal; read as text")
	if str.quotes.count > 0 && str.quotes.end < end {
		str.quotes.end = end
	}
	s.noteWithFix(diag.QuoteCharacter, str.quotes, diag.Safe, "write double quotes",
		"expected double quotes around the string")
	s.noteWithFix(diag.BadEscape, str.looseEscapes, diag.Safe, "remove the backslash",
		"unnecessary backslash before a quote; dropped")
}

// noteAmbiguousBackslashes reports a string with both unknown escapes and escapes of control
// characters, as in a path or formula with undoubled backslashes: C:\Users\new, \frac{\alpha}.
// Nothing tells which of the known escapes are text: names also begin with the letter of a line
// end.
func (s *Scanner) noteAmbiguousBackslashes(end int) {
	const what = "ambiguous backslashes: all are literal, or only those that begin no escape while the others make control characters"
	if s.isVerbatim() {
		s.noteAmbiguous(diag.BadEscape, s.tokenStart, end, what).addFix("make all backslashes literal: use string delimiters", diag.Unsafe, s.editsToDelimiters(end)...)
		return
	}
	var edits []diag.Edit
	text, none := s.tokenText(), s.str.badEscapes.edits
	for i := 0; i+1 < len(text) && s.editBytes <= maxEditBytes; i++ {
		at := s.tokenStart + i
		switch {
		case text[i] != '\\':
		case len(none) > 0 && none[0].Start == at:
			edits, none = append(edits, none[0]), none[1:]
			i = edits[len(edits)-1].End - 1 - s.tokenStart
		default:
			if letterEscapes[text[i+1]] != 0 {
				edits = append(edits, diag.Edit{Start: at, End: at + 1, New: `\\`})
			}
			i++
		}
	}
	s.noteAmbiguous(diag.BadEscape, s.tokenStart, end, what).
		addFix("double all backslashes", diag.Unsafe, edits...)
}

// noteKeptBackslashes reports backslashes that Python keeps because no escape begins there.
func (s *Scanner) noteKeptBackslashes(m fixBuilder) {
	if m.count > 0 {
		s.note(diag.BadEscape, m.start, m.end, diag.Info, "unknown escape; read as a literal backslash").
			addFix("double the backslashes", diag.Safe, m.edits...)
	}
}

var languageNames = map[language]string{javaScript: "JavaScript", jsonText: "JSON", python: "Python", delimited: "JSON"}

// hints maps error codes to hints.
var hints = map[diag.Code]string{
	diag.InvalidUTF8:   "write the character itself",
	diag.NotANumber:    "write a number, a string or null",
	diag.DuplicateKey:  "use each key once",
	diag.NotALiteral:   "write the value itself: a string, number, true, false, null, array or object",
	diag.BadEscape:     "double every backslash that is text",
	diag.TruncatedCall: "write the whole call again",
	diag.WrongCloser:   "write the call again, and close every string with its own delimiter",
}

// fail records an error of the current call and starts skipping to its end.
func (s *Scanner) fail(code diag.Code, start, end int, format string, args ...any) {
	f := diag.New(code, diag.Bytes(start, max(end, start+1)), format, args...)
	f.Severity, f.Path, f.Hint = diag.Error, s.args.pointer(), hints[code]
	s.add(f)
	s.invalid = true
	s.skip = skipState{depth: 1 + s.args.countOpen(pythonParen), squares: s.args.countOpen('[')}
	s.skip.begin(s.openBracketBytes())
	if s.goal == goalDelimited {
		s.skip.depth = s.args.countOpen('{')
	}
	keyed := s.args.hasKeywords
	s.args.reset()
	s.args.hasKeywords = keyed
	if s.goal == goalValue || s.goal == goalKey || s.goal == goalDelimited && s.skip.depth == 0 {
		s.end, s.state = s.pos, Invalid
		return
	}
	s.phase = skipping
	if s.lang == jsonText {
		s.skip.word = s.apostropheAfterWord()
	}
}

// apostropheAfterWord returns the state of a word that ends here.
func (s *Scanner) apostropheAfterWord() apostrophe {
	var a apostrophe
	text := s.captured.text()
	for _, c := range []byte(text[max(0, len(text)-3):]) {
		a.add(c)
	}
	return a
}

// noteTruncated records that the text ended inside the call.
func (s *Scanner) noteTruncated() {
	what := "the value"
	switch {
	case s.goal == goalObject:
		what = "the call"
	case s.goal == goalDelimited:
		what = "the arguments"
	case s.goal != goalValue:
		what = "the call " + excerpt(s.head.name)
	}
	if s.mode >= inText {
		what = "a string of " + what
	}
	s.noteCut(s.captureStart, "unexpected end of text inside "+what)
	s.truncated, s.args.out = true, s.args.out[:0]
}

func (s *Scanner) noteCut(start int, message string) {
	f := diag.New(diag.TruncatedCall, diag.Bytes(start, s.pos), "%s", message)
	f.Hint = hints[diag.TruncatedCall]
	s.add(f)
}

// failUnmatchedCloser reports an unmatched closing bracket.
func (s *Scanner) failUnmatchedCloser(c byte) {
	top := s.args.top()
	isOpen := slices.ContainsFunc(s.args.open, func(b bracket) bool { return b.char == openerOf[c] })
	if top.char == 0 || !isOpen && c == '}' {
		s.fail(diag.UnbalancedBracket, s.pos, s.pos+1, "unmatched closing %q", c)
		return
	}
	missing := s.missingClosers()
	at := s.args.lastEnd
	s.fail(diag.UnbalancedBracket, s.pos, s.pos+1, "missing %q before %q", closerOf[top.char], c)
	switch {
	case c == ')':
		s.addBracketsFix(at, strings.TrimSuffix(missing, ")"))
	case c == ']' && s.goal == goalObject && !strings.Contains(missing, "]"): // of the list around the object
		s.addBracketsFix(at, missing)
	}
}

// failUnclosed reports that something else ended the arguments.
func (s *Scanner) failUnclosed(by string) {
	if s.args.pending.text != "" {
		s.addPendingAsValue()
	}
	if !s.isWritingOutput() {
		return
	}
	switch missing, at := s.missingClosers(), s.args.lastEnd; {
	case s.args.want == wantColon || s.mode == inBareKey:
		s.failMissingColon(s.tokenStart)
	case s.args.want == wantValue && s.args.top().char == '{' && s.mode != inBareValue:
		s.fail(diag.BadLiteral, s.tokenStart, s.pos+1, "missing value before %s", by)
	default:
		s.fail(diag.UnbalancedBracket, s.tokenStart, s.pos+1, "missing %q before %s", missing, by)
		s.addBracketsFix(at, missing)
	}
}

// missingClosers returns the closing brackets of all open ones.
func (s *Scanner) missingClosers() string {
	var b strings.Builder
	for _, open := range slices.Backward(s.args.open) {
		b.WriteByte(closerOf[open.char])
	}
	return b.String()
}

func (s *Scanner) addBracketsFix(at int, brackets string) {
	note{&s.findings[len(s.findings)-1]}.addFix("add "+brackets, diag.Unsafe, diag.Edit{Start: at, End: at, New: brackets})
}
