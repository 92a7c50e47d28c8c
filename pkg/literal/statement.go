package literal

import (
	"strings"

	"oneshot/pkg/diag"
)

// A head is the part of a call before its arguments.
type head struct {
	start      int       // start of the statement
	word       string    // the last word, a possible name
	wordEnd    int       // end of word
	lineBroken bool      // a line end follows word
	name       string    // the tool name, set at "("
	lacksParen bool      // something other than "(" follows word
	token      diag.Span // span of the control tokens after word

	wrapperWord  string // the wrapper, set at its parenthesis
	wrapperParen int    // offset of that parenthesis
	wrapped      bool   // the first argument of the wrapper is a call
}

// reservedWords can precede "(" but are not function names.
var reservedWords = map[string]bool{
	"await": true, "case": true, "in": true, "instanceof": true, "new": true, "return": true, "throw": true,
	"typeof": true, "void": true, "yield": true,
}

// controlWords are the keywords of JavaScript and Python that decide whether and when the
// following statement is executed.
var controlWords = map[string]bool{
	"async": true, "case": true, "catch": true, "class": true, "def": true, "do": true, "elif": true, "else": true, "except": true,
	"finally": true, "for": true, "function": true, "if": true, "switch": true, "try": true, "while": true, "with": true,
}

// operatorWords are other words of JavaScript and Python that stand before or after a word in an expression.
var operatorWords = map[string]bool{
	"and": true, "as": true, "assert": true, "default": true, "delete": true, "export": true, "is": true, "lambda": true,
	"not": true, "or": true,
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
	s.skip.sentence.isComment = c == '#'
	return 0
}

// beginHeadWord begins a word before "(". The call's text begins with the last one.
func (s *Scanner) beginHeadWord() int {
	s.captureFrom(s.pos)
	return s.beginWord()
}

// endHeadWord ends a word before "(".
func (s *Scanner) endHeadWord(word string) {
	for i := range len(word) {
		s.skip.sentence.add(word[i])
	}
	switch {
	case s.goal == goalStatement && word == "return" && s.head.start == s.tokenStart:
	case s.goal == goalStatement && word == "await":
		s.note(diag.NameNoise, s.tokenStart, s.pos, diag.Info, "unexpected await; ignored").
			addFix("remove it", diag.Safe, diag.Edit{Start: s.tokenStart, End: s.pos})
	default:
		s.head.word, s.head.wordEnd, s.head.lineBroken, s.head.token = word, s.pos, false, diag.Span{}
		if controlWords[word] {
			s.beginNonCall(s.pos)
			s.skip.control = true
		}
	}
}

// readAfterWord reads a byte after the words of a head.
func (s *Scanner) readAfterWord(c byte) int {
	named := s.head.word != ""
	switch {
	case named && c == '<' && (s.pos == s.head.wordEnd || s.pos == s.head.token.End):
		s.tokenStart, s.mode = s.pos, inControlToken
		return 1
	case s.head.wrapperWord != "":
		return s.readInWrapper(c)
	case named && c == '(' && s.head.word == s.wrapper:
		s.beginWrapperCall()
		return 1
	case named && c == '(' && isName(s.head.word):
		s.beginCall()
		return 1
	case named && s.head.lineBroken:
		// The previous line was a statement of its own; this line begins the next.
		s.phase, s.end, s.state, s.findings = inNonCall, s.head.wordEnd, Invalid, nil
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

// maxNameLen limits tool names, in bytes.
const maxNameLen = 256

// isName reports whether a word can be a tool name.
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

// namespacePrefixes are the prefixes that models put before tool names.
var namespacePrefixes = []string{"functions.", "tools.", "default_api."}

// CutNamespace splits prefixes that models add, such as "functions.", from a tool name. The
// namespace may be "".
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

// beginArguments begins the arguments of a call after its parenthesis.
func (s *Scanner) beginArguments(paren int) {
	space, name := CutNamespace(s.head.word)
	if space != "" {
		s.note(diag.NameNoise, s.captureStart, s.captureStart+len(space), diag.Warning, "unexpected prefix %q in the tool name", space).
			addFix("remove it", diag.Safe, diag.Edit{Start: s.captureStart, End: s.captureStart + len(space)})
	}
	s.head.name = strings.Clone(name)
	s.phase = inArguments
	s.args.push('(', paren)
	if token := s.head.token; token.End > 0 {
		s.fail(diag.MarkupInName, token.Start, token.End, "control token after the tool name: the end of the name is ambiguous")
		note{&s.findings[len(s.findings)-1]}.addFix("remove it", diag.Unsafe, diag.Edit{Start: token.Start, End: token.End})
	}
}

// beginNonCall marks the statement as a non-call. If no statement has begun, it begins at start.
func (s *Scanner) beginNonCall(start int) {
	if s.phase == inHead {
		start = s.head.start
		s.skip.word.restartAfter(s.head.word, s.pos == s.head.wordEnd)
	}
	s.phase, s.head.start = inNonCall, start
	s.findings = nil
	s.stopCapture()
}

// skipState is the state while a faulty call or a non-call is skipped. Strings, templates and
// comments are still recognised.
type skipState struct {
	depth          int    // open brackets: in a call only parentheses, otherwise all
	squares        int    // open square brackets in a Python call
	open           []byte // in JSON: the open brackets
	lists          int    // how many of them are square
	interpolations []int  // open braces in each enclosing ${…}
	word           apostrophe
	sentence       sentence
	beforeLast     byte // the last but one byte that is not whitespace
	last           byte // the last byte that is not whitespace
	control        bool // the statement after a control word has not begun
	needsBody      bool // it begins on a later line
	block          bool // a colon after a control word begins statements of Python
	toFenceEnd     bool // they are on the next lines, and end where the fence does
	bareFault      bool // the error is an unquoted string, whose end is ambiguous
}

// endsAtLine reports whether a non-call ends at a line end. The body of a condition may be on a later line, and after a
// colon, as in Python, on all lines up to the end of the fence: indentation is not read.
func (p *skipState) endsAtLine() bool {
	switch {
	case p.depth > 0 || len(p.interpolations) > 0 || p.toFenceEnd || p.needsBody:
		return false
	case p.control && p.last == ':':
		p.toFenceEnd = true
		return false
	case p.block:
		return true
	case p.control && (p.last == 0 || p.last == ')'):
		p.control, p.needsBody = false, true
		return false
	}
	return !p.endsInOperator()
}

// endsInOperator reports whether the line ends in an operator, or in a backslash, that continues the expression on the
// next line.
func (p *skipState) endsInOperator() bool {
	if p.sentence.isComment {
		return false
	}
	switch p.last {
	case '?', '\\':
		return !p.sentence.isProse()
	case ':': // of a conditional expression
		return p.sentence.hasQuestionMark && !p.sentence.isProse()
	case '>':
		return p.beforeLast == '='
	case '&', '|':
		return p.beforeLast == p.last
	}
	return false
}

// addByte reads a byte that is not whitespace.
func (p *skipState) addByte(c byte) {
	p.needsBody = false
	switch {
	case p.depth > 0 || !p.control:
	case c == ':':
		p.block = true
	case c == '#' && p.block && p.last == ':': // a comment of Python
		p.toFenceEnd = true
	}
	p.word.add(c)
	p.sentence.add(c)
	p.beforeLast, p.last = p.last, c
}

// endWord ends a word before a blank.
func (p *skipState) endWord() {
	p.word = apostrophe{}
	p.sentence.endWord()
}

// skipByte skips a byte between tokens.
func (s *Scanner) skipByte(c byte) int {
	p := &s.skip
	if s.endFaultyBeforeOuter(c) {
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
		s.skipFaultyCallByte(c)
	case strings.IndexByte("([{", c) >= 0:
		p.depth++
	case strings.IndexByte(")]}", c) >= 0:
		p.depth = max(0, p.depth-1)
	case c == ';' && p.depth == 0 && !p.block:
		s.end, s.state = s.pos, Invalid
	}
	p.addByte(c)
	s.part.atStart = false
	return 1
}

// skipInterpolationByte skips a byte in ${…}. Only braces count there: no parenthesis inside can
// end the call around the template.
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

// skipFaultyCallByte skips a byte of a faulty call.
func (s *Scanner) skipFaultyCallByte(c byte) {
	s.skip.countSquareBrackets(c)
	switch c {
	case '(':
		s.skip.depth++
	case ')':
		s.skip.depth--
		if s.skip.depth == 0 {
			s.end, s.state = s.pos+1, Invalid
		}
	}
}

// An apostrophe distinguishes the ' of "don't" from an opening quote: it directly follows a word
// that is not a Python string prefix.
type apostrophe struct {
	length int  // of the word so far
	other  bool // the word cannot be a prefix
}

func (a *apostrophe) add(c byte) {
	if !isWordByte(c) {
		*a = apostrophe{}
		return
	}
	a.length++
	a.other = a.other || a.length > 2 || strings.IndexByte("rbufRBUF", c) < 0
}

// restartAfter restarts after a word if it is adjacent.
func (a *apostrophe) restartAfter(word string, adjacent bool) {
	*a = apostrophe{}
	for i := 0; adjacent && i < len(word); i++ {
		a.add(word[i])
	}
}

func (a *apostrophe) isApostrophe() bool { return a.length > 0 && a.other }

// A sentence distinguishes prose from an expression, which has no two words in a row unless one of them is an operator.
// Other operators and brackets are signs of an expression: declarations begin with two words.
type sentence struct {
	text            [len("instanceof")]byte // of the word so far
	length          int                     // of the word so far
	afterWord       bool                    // only blanks follow a word that is no operator
	hasWordPair     bool
	hasOperators    bool
	hasQuestionMark bool
	isComment       bool // it is a comment of Python
}

func (p *sentence) add(c byte) {
	if isWordByte(c) {
		if p.length < len(p.text) {
			p.text[p.length] = c
		}
		p.length++
		return
	}
	p.endWord()
	p.afterWord = false
	p.hasOperators = p.hasOperators || strings.IndexByte("=<>&|+*/%^~([{", c) >= 0
	p.hasQuestionMark = p.hasQuestionMark || c == '?'
}

// endWord ends a word, if there is one, before a blank.
func (p *sentence) endWord() {
	if p.length == 0 {
		return
	}
	word := string(p.text[:min(p.length, len(p.text))])
	isOperator := p.length == len(word) && (operatorWords[word] || reservedWords[word] || controlWords[word])
	p.hasWordPair = p.hasWordPair || p.afterWord && !isOperator
	p.afterWord, p.length = !isOperator, 0
}

func (p *sentence) isProse() bool { return p.hasWordPair && !p.hasOperators }
