package literal

import (
	"strings"

	"oneshot/pkg/diag"
)

// A head is what stands before the arguments of a call.
type head struct {
	start  int       // where the statement begins
	word   string    // the word that can be a name, if one has been read
	ended  int       // where it ends
	broken bool      // a line end stands behind it
	name   string    // the name of the call, once "(" has been read
	lacks  bool      // something else than "(" follows the word
	token  diag.Span // the control tokens behind the word, if there are any

	outer   string // the wrapper, if its parenthesis has been read
	paren   int    // where that stands
	wrapped bool   // a call is its first argument
}

// reserved are words that stand before "(" without being the name of a function.
var reserved = map[string]bool{
	"await": true, "case": true, "in": true, "instanceof": true, "new": true, "return": true, "throw": true,
	"typeof": true, "void": true, "yield": true,
}

// controls are the words of JavaScript and Python on which it depends whether
// the statement behind them is executed, and when.
var controls = map[string]bool{
	"async": true, "catch": true, "class": true, "def": true, "do": true, "elif": true, "else": true, "except": true,
	"finally": true, "for": true, "function": true, "if": true, "switch": true, "try": true, "while": true, "with": true,
}

// beginStatement reads the first byte of a statement.
func (s *Scanner) beginStatement(c byte) int {
	switch {
	case c == ';' && s.goal == aStatement:
		return 1
	case isForeign(c):
		s.keepFrom(s.at)
		return s.beginForeign()
	case beginsWord(c):
		s.phase, s.head.start = heading, s.at
		return s.beginHeadWord()
	}
	s.beginJunk(s.at)
	return 0
}

// beginHeadWord begins a word before "(". The call's text begins with the last.
func (s *Scanner) beginHeadWord() int {
	s.keepFrom(s.at)
	return s.beginWord()
}

// headWord takes a word that is complete.
func (s *Scanner) headWord(word string) {
	switch {
	case s.goal == aStatement && word == "return" && s.head.start == s.token:
	case s.goal == aStatement && word == "await":
		s.note(diag.NameNoise, s.token, s.at, diag.Info, "await means nothing here").
			fix("remove it", diag.Safe, diag.Edit{Start: s.token, End: s.at})
	default:
		s.head.word, s.head.ended, s.head.broken, s.head.token = word, s.at, false, diag.Span{}
		if controls[word] {
			s.beginJunk(s.at)
			s.passing.control = true
		}
	}
}

// afterWord reads a byte behind the words of a head.
func (s *Scanner) afterWord(c byte) int {
	named := s.head.word != ""
	switch {
	case named && c == '<' && (s.at == s.head.ended || s.at == s.head.token.End):
		s.token, s.mode = s.at, inControl
		return 1
	case s.head.outer != "":
		return s.insideWrapper(c)
	case named && c == '(' && s.head.word == s.wrapper:
		s.beginWrapper()
		return 1
	case named && c == '(' && isName(s.head.word):
		s.beginCall()
		return 1
	case named && s.head.broken:
		// The line before was a statement of its own, this one is the next.
		s.phase, s.end, s.state, s.notes = junking, s.head.ended, Bad, nil
	case isForeign(c):
		return s.beginForeign()
	case !named && beginsWord(c):
		return s.beginHeadWord()
	default:
		s.head.lacks = named
		s.beginJunk(s.at)
	}
	return 0
}

// longestName bounds the names of tools.
const longestName = 256

// isName reports whether a word can be the name of a tool.
func isName(word string) bool {
	if len(word) > longestName {
		return false
	}
	for part := range strings.SplitSeq(word, ".") {
		if part == "" || isDigit(part[0]) {
			return false
		}
	}
	return !reserved[word]
}

// namespaces are what models put before the name of a tool.
var namespaces = []string{"functions.", "tools.", "default_api."}

// CutNamespace cuts what models put before the name of a tool, namespaces such as
// "functions.", from what stands behind them. It is "" if there is none.
func CutNamespace(name string) (space, rest string) {
	rest = name
	for i := 0; i < len(namespaces); i++ {
		if shorter, ok := strings.CutPrefix(rest, namespaces[i]); ok {
			rest, i = shorter, -1
		}
	}
	return name[:len(name)-len(rest)], rest
}

// beginCall reads the opening parenthesis.
func (s *Scanner) beginCall() { s.beginArguments(s.at) }

// beginArguments begins the arguments of a call behind its parenthesis.
func (s *Scanner) beginArguments(paren int) {
	space, name := CutNamespace(s.head.word)
	if space != "" {
		s.note(diag.NameNoise, s.keptFrom, s.keptFrom+len(space), diag.Warning, "%q does not belong to the tool's name", space).
			fix("remove it", diag.Safe, diag.Edit{Start: s.keptFrom, End: s.keptFrom + len(space)})
	}
	s.head.name = strings.Clone(name)
	s.phase = arguing
	s.args.begin('(', paren)
	if token := s.head.token; token.End > 0 {
		s.fault(diag.MarkupInName, token.Start, token.End, "a control token follows the tool's name: where the name ends is not certain")
		note{&s.notes[len(s.notes)-1]}.fix("remove it", diag.Unsafe, diag.Edit{Start: token.Start, End: token.End})
	}
}

// beginJunk says that the statement is no call. If it has not begun yet, it
// begins at start.
func (s *Scanner) beginJunk(start int) {
	if s.phase == heading {
		start = s.head.start
		s.passing.word.after(s.head.word, s.at == s.head.ended)
	}
	s.phase, s.head.start = junking, start
	s.notes = nil
	s.forget()
}

// passing is what is known while a fault or a statement that is no call is
// passed over. Strings, templates and comments are read as ever.
type passing struct {
	depth   int    // open brackets: of a call only its parentheses, otherwise all
	squares int    // open square brackets in a call of Python
	open    []byte // in JSON: the brackets that are open
	lists   int    // how many of them are those of lists
	holes   []int  // open braces in each ${…} around this place
	word    apostrophe
	last    byte // the last byte that was no blank
	control bool // the statement behind a control word has not begun
	bare    bool // the fault is a string without marks, whose end is uncertain
}

// endsAtLine reports whether a statement that is no call ends at a line end. The
// statement that a condition is about may stand on the next line, and behind a
// colon, as in Python, on all lines up to the end of the fence.
func (p *passing) endsAtLine() bool {
	switch {
	case p.depth > 0 || len(p.holes) > 0:
		return false
	case p.control && p.last == ':':
		return false
	case p.control && (p.last == 0 || p.last == ')'):
		p.control = false
		return false
	}
	return true
}

// pass reads a byte between tokens while passing.
func (s *Scanner) pass(c byte) int {
	p := &s.passing
	if s.endBefore(c) {
		return 0
	}
	switch {
	case s.isQuote(c):
		if c == '\'' && (s.phase == junking || s.lang == jsonText) && p.word.isApostrophe() {
			break
		}
		s.openString(c, s.at)
	case len(p.holes) > 0:
		s.passHole(c)
	case s.lang == jsonText:
		if !s.passPart(c) {
			return 0
		}
	case s.phase == skipping:
		s.passCall(c)
	case strings.IndexByte("([{", c) >= 0:
		p.depth++
	case strings.IndexByte(")]}", c) >= 0:
		p.depth = max(0, p.depth-1)
	case c == ';' && p.depth == 0:
		s.end, s.state = s.at, Bad
	}
	p.word.add(c)
	p.last = c
	s.part.first = false
	return 1
}

// passHole reads a byte in ${…}. Only braces count there: no parenthesis in a
// hole can end the call around the template.
func (s *Scanner) passHole(c byte) {
	top := len(s.passing.holes) - 1
	switch {
	case c == '{':
		s.passing.holes[top]++
	case c == '}' && s.passing.holes[top] > 0:
		s.passing.holes[top]--
	case c == '}':
		s.passing.holes = s.passing.holes[:top]
		s.str.begin('`')
		s.mode = inText
	}
}

// passCall reads a byte on the way to the end of a call.
func (s *Scanner) passCall(c byte) {
	s.passing.passSquares(c)
	switch c {
	case '(':
		s.passing.depth++
	case ')':
		s.passing.depth--
		if s.passing.depth == 0 {
			s.end, s.state = s.at+1, Bad
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
