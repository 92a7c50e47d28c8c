package literal

import (
	"strings"

	"oneshot/pkg/diag"
)

// A head is what stands before the arguments of a call.
type head struct {
	start      int       // where the statement begins
	word       string    // the word that can be a name, if one has been read
	wordEnd    int       // where it ends
	lineBroken bool      // a line end stands behind it
	name       string    // the name of the call, once "(" has been read
	lacksParen bool      // something else than "(" follows the word
	token      diag.Span // the control tokens behind the word, if there are any

	wrapperWord  string // the wrapper, if its parenthesis has been read
	wrapperParen int    // where that stands
	wrapped      bool   // a call is its first argument
}

// reservedWords are words that stand before "(" without being the name of a function.
var reservedWords = map[string]bool{
	"await": true, "case": true, "in": true, "instanceof": true, "new": true, "return": true, "throw": true,
	"typeof": true, "void": true, "yield": true,
}

// controlWords are the words of JavaScript and Python on which it depends whether
// the statement behind them is executed, and when.
var controlWords = map[string]bool{
	"async": true, "catch": true, "class": true, "def": true, "do": true, "elif": true, "else": true, "except": true,
	"finally": true, "for": true, "function": true, "if": true, "switch": true, "try": true, "while": true, "with": true,
}

// beginStatement reads the first byte of a statement.
func (s *Scanner) beginStatement(c byte) int {
	switch {
	case c == ';' && s.goal == goalStatement:
		return 1
	case isNonASCII(c):
		s.captureFrom(s.pos)
		return s.beginNonASCII()
	case canBeginWord(c):
		s.phase, s.head.start = inHead, s.pos
		return s.beginHeadWord()
	}
	s.beginNonCall(s.pos)
	return 0
}

// beginHeadWord begins a word before "(". The call's text begins with the last.
func (s *Scanner) beginHeadWord() int {
	s.captureFrom(s.pos)
	return s.beginWord()
}

// endHeadWord takes a word that is complete.
func (s *Scanner) endHeadWord(word string) {
	switch {
	case s.goal == goalStatement && word == "return" && s.head.start == s.tokenStart:
	case s.goal == goalStatement && word == "await":
		s.note(diag.NameNoise, s.tokenStart, s.pos, diag.Info, "unexpected await; ignored").
			fix("remove it", diag.Safe, diag.Edit{Start: s.tokenStart, End: s.pos})
	default:
		s.head.word, s.head.wordEnd, s.head.lineBroken, s.head.token = word, s.pos, false, diag.Span{}
		if controlWords[word] {
			s.beginNonCall(s.pos)
			s.skip.control = true
		}
	}
}

// readAfterWord reads a byte behind the words of a head.
func (s *Scanner) readAfterWord(c byte) int {
	named := s.head.word != ""
	switch {
	case named && c == '<' && (s.pos == s.head.wordEnd || s.pos == s.head.token.End):
		s.tokenStart, s.mode = s.pos, inControlToken
		return 1
	case s.head.wrapperWord != "":
		return s.readInWrapper(c)
	case named && c == '(' && s.head.word == s.wrapper:
		s.beginWrapper()
		return 1
	case named && c == '(' && isName(s.head.word):
		s.beginCall()
		return 1
	case named && s.head.lineBroken:
		// The line before was a statement of its own, this one is the next.
		s.phase, s.end, s.state, s.findings = inNonCall, s.head.wordEnd, Bad, nil
	case isNonASCII(c):
		return s.beginNonASCII()
	case !named && canBeginWord(c):
		return s.beginHeadWord()
	default:
		s.head.lacksParen = named
		s.beginNonCall(s.pos)
	}
	return 0
}

// maxNameLen bounds the names of tools.
const maxNameLen = 256

// isName reports whether a word can be the name of a tool.
func isName(word string) bool {
	if len(word) > maxNameLen {
		return false
	}
	for part := range strings.SplitSeq(word, ".") {
		if part == "" || isDigit(part[0]) {
			return false
		}
	}
	return !reservedWords[word]
}

// namespacePrefixes are what models put before the name of a tool.
var namespacePrefixes = []string{"functions.", "tools.", "default_api."}

// CutNamespace cuts what models put before the name of a tool, namespaces such as
// "functions.", from what stands behind them. It is "" if there is none.
func CutNamespace(name string) (space, rest string) {
	rest = name
	for i := 0; i < len(namespacePrefixes); i++ {
		if shorter, ok := strings.CutPrefix(rest, namespacePrefixes[i]); ok {
			rest, i = shorter, -1
		}
	}
	return name[:len(name)-len(rest)], rest
}

// beginCall reads the opening parenthesis.
func (s *Scanner) beginCall() { s.beginArguments(s.pos) }

// beginArguments begins the arguments of a call behind its parenthesis.
func (s *Scanner) beginArguments(paren int) {
	space, name := CutNamespace(s.head.word)
	if space != "" {
		s.note(diag.NameNoise, s.captureStart, s.captureStart+len(space), diag.Warning, "unexpected prefix %q in the tool name", space).
			fix("remove it", diag.Safe, diag.Edit{Start: s.captureStart, End: s.captureStart + len(space)})
	}
	s.head.name = strings.Clone(name)
	s.phase = inArguments
	s.args.push('(', paren)
	if token := s.head.token; token.End > 0 {
		s.fail(diag.MarkupInName, token.Start, token.End, "control token after the tool name: the end of the name is ambiguous")
		note{&s.findings[len(s.findings)-1]}.fix("remove it", diag.Unsafe, diag.Edit{Start: token.Start, End: token.End})
	}
}

// beginNonCall says that the statement is no call. If it has not begun yet, it
// begins at start.
func (s *Scanner) beginNonCall(start int) {
	if s.phase == inHead {
		start = s.head.start
		s.skip.word.after(s.head.word, s.pos == s.head.wordEnd)
	}
	s.phase, s.head.start = inNonCall, start
	s.findings = nil
	s.stopCapture()
}

// skipState is what is known while a fault or a statement that is no call is
// passed over. Strings, templates and comments are read as ever.
type skipState struct {
	depth          int    // open brackets: of a call only its parentheses, otherwise all
	squares        int    // open square brackets in a call of Python
	open           []byte // in JSON: the brackets that are open
	lists          int    // how many of them are those of lists
	interpolations []int  // open braces in each ${…} around this place
	word           apostrophe
	last           byte // the last byte that was no blank
	control        bool // the statement behind a control word has not begun
	bareFault      bool // the fault is a string without marks, whose end is uncertain
}

// endsAtLine reports whether a statement that is no call ends at a line end. The
// statement that a condition is about may stand on the next line, and behind a
// colon, as in Python, on all lines up to the end of the fence.
func (p *skipState) endsAtLine() bool {
	switch {
	case p.depth > 0 || len(p.interpolations) > 0:
		return false
	case p.control && p.last == ':':
		return false
	case p.control && (p.last == 0 || p.last == ')'):
		p.control = false
		return false
	}
	return true
}

// skipByte reads a byte between tokens while passing.
func (s *Scanner) skipByte(c byte) int {
	p := &s.skip
	if s.endBeforeOuter(c) {
		return 0
	}
	switch {
	case s.isQuote(c):
		if c == '\'' && (s.phase == inNonCall || s.lang == jsonText) && p.word.isApostrophe() {
			break
		}
		s.openString(c, s.pos)
	case len(p.interpolations) > 0:
		s.skipInterpolationByte(c)
	case s.lang == jsonText:
		if !s.skipJSONByte(c) {
			return 0
		}
	case s.phase == skipping:
		s.skipCallByte(c)
	case strings.IndexByte("([{", c) >= 0:
		p.depth++
	case strings.IndexByte(")]}", c) >= 0:
		p.depth = max(0, p.depth-1)
	case c == ';' && p.depth == 0:
		s.end, s.state = s.pos, Bad
	}
	p.word.add(c)
	p.last = c
	s.part.atStart = false
	return 1
}

// skipInterpolationByte reads a byte in ${…}. Only braces count there: no parenthesis in a
// hole can end the call around the template.
func (s *Scanner) skipInterpolationByte(c byte) {
	top := len(s.skip.interpolations) - 1
	switch {
	case c == '{':
		s.skip.interpolations[top]++
	case c == '}' && s.skip.interpolations[top] > 0:
		s.skip.interpolations[top]--
	case c == '}':
		s.skip.interpolations = s.skip.interpolations[:top]
		s.str.begin('`')
		s.mode = inText
	}
}

// skipCallByte reads a byte on the way to the end of a call.
func (s *Scanner) skipCallByte(c byte) {
	s.skip.countSquares(c)
	switch c {
	case '(':
		s.skip.depth++
	case ')':
		s.skip.depth--
		if s.skip.depth == 0 {
			s.end, s.state = s.pos+1, Bad
		}
	}
}

// An apostrophe tells the ' of "don't" from the one that opens a string: it
// stands right behind a word, and the word is none of Python's string prefixes.
type apostrophe struct {
	length int  // of the word so far
	other  bool // it cannot be a prefix
}

func (a *apostrophe) add(c byte) {
	if !isWordByte(c) {
		*a = apostrophe{}
		return
	}
	a.length++
	a.other = a.other || a.length > 2 || strings.IndexByte("rbufRBUF", c) < 0
}

// after continues behind a word, or somewhere else.
func (a *apostrophe) after(word string, adjacent bool) {
	*a = apostrophe{}
	for i := 0; adjacent && i < len(word); i++ {
		a.add(word[i])
	}
}

func (a *apostrophe) isApostrophe() bool { return a.length > 0 && a.other }
