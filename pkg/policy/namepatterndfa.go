package policy

import (
	"encoding/binary"
	"path"
	"slices"
	"strings"
	"unicode/utf8"
)

// A nameDFA matches one name against many patterns at once. Its states are built on first use and cached, so a name
// costs one lookup per character, however many patterns there are.
type nameDFA struct {
	tokens    []token
	states    map[string]*nameState // by token set
	cacheRoom int                   // remaining cache size in words; without cache each character costs a scan of all tokens
}

type tokenKind int

const (
	anyChars       tokenKind = iota // *
	anyChar                         // ?
	oneChar                         // a character
	charClass                       // [a-z]
	invalidPattern                  // never matches
	accept                          // end of the name
)

// A token is a part of a name pattern.
type token struct {
	kind tokenKind
	text string // the character or class
	step int    // for accept: the step whose pattern ends here
}

// accepts reports whether a token matches exactly one character.
func (t *token) accepts(char string) bool {
	switch t.kind {
	case anyChar:
		return true
	case oneChar:
		return t.text == char
	case charClass:
		ok, err := path.Match(t.text, char)
		return ok && err == nil
	}
	return false
}

// A nameState is the set of tokens that can come next.
type nameState struct {
	at      []int // ascending
	accepts []int // steps whose pattern matches if the name ends here
	cached  bool
	ascii   *[utf8.RuneSelf]*nameState
	others  map[string]*nameState
}

// addPattern adds the pattern of a step and returns its first token.
func (d *nameDFA) addPattern(pattern string, step int) (first int) {
	first = len(d.tokens)
	if _, err := path.Match(pattern, ""); err != nil {
		d.tokens = append(d.tokens, token{kind: invalidPattern})
		return first
	}
	for rest := pattern; rest != ""; {
		t, n := token{kind: oneChar}, 1
		switch rest[0] {
		case '*':
			t.kind = anyChars
		case '?':
			t.kind = anyChar
		case '[':
			t.kind, n = charClass, classLength(rest)
		case '\\':
			rest = rest[1:]
			n = firstRuneSize(rest)
		default:
			n = firstRuneSize(rest)
		}
		t.text, rest = rest[:n], rest[n:]
		d.tokens = append(d.tokens, t)
	}
	d.tokens = append(d.tokens, token{kind: accept, step: step})
	return first
}

func firstRuneSize(text string) int {
	_, n := utf8.DecodeRuneInString(text)
	return n
}

// classLength returns the length of the class at the start of a valid pattern.
func classLength(pattern string) int {
	char := func(i int) int { // returns the index after a character, which may be escaped
		if pattern[i] == '\\' {
			i++
		}
		return i + firstRuneSize(pattern[i:])
	}
	i := 1
	if strings.HasPrefix(pattern, "[^") {
		i++
	}
	for first := i; i == first || pattern[i] != ']'; {
		if i = char(i); pattern[i] == '-' {
			i = char(i + 1)
		}
	}
	return i + 1
}

// startState returns the state before a name for patterns that begin at the given tokens.
func (d *nameDFA) startState(tokens []int) *nameState {
	var at []int
	for _, i := range tokens {
		at = d.addReachable(at, i)
	}
	return d.cachedState(at)
}

// addReachable adds a token to the ones that can come next, and the token after each * as well.
func (d *nameDFA) addReachable(at []int, i int) []int {
	for ; d.tokens[i].kind == anyChars; i++ {
		at = append(at, i)
	}
	return append(at, i)
}

// cachedState returns the state of a set of tokens and caches it while there is room.
func (d *nameDFA) cachedState(at []int) *nameState {
	slices.Sort(at)
	at = slices.Compact(at)
	var key []byte
	for _, i := range at {
		key = binary.AppendUvarint(key, uint64(i))
	}
	if s := d.states[string(key)]; s != nil {
		return s
	}
	s := &nameState{at: at}
	for _, i := range at {
		if d.tokens[i].kind == accept {
			s.accepts = append(s.accepts, d.tokens[i].step)
		}
	}
	if size := utf8.RuneSelf + 3*len(at); size <= d.cacheRoom {
		d.cacheRoom -= size
		s.cached, s.ascii, s.others = true, new([utf8.RuneSelf]*nameState), map[string]*nameState{}
		d.states[string(key)] = s
	}
	return s
}

// nonASCIIWords estimates the cache cost of a transition on a non-ASCII character.
const nonASCIIWords = 8

// stateAfterName returns the state after a name.
func (d *nameDFA) stateAfterName(s *nameState, name string) *nameState {
	for name != "" && len(s.at) > 0 {
		n := firstRuneSize(name)
		s, name = d.stateAfterCharacter(s, name[:n]), name[n:]
	}
	return s
}

// stateAfterCharacter returns the state after a character.
func (d *nameDFA) stateAfterCharacter(s *nameState, char string) *nameState {
	switch {
	case !s.cached:
		return d.cachedState(d.tokensAfter(s, char))
	case len(char) == 1 && char[0] < utf8.RuneSelf:
		if s.ascii[char[0]] == nil {
			s.ascii[char[0]] = d.cachedState(d.tokensAfter(s, char))
		}
		return s.ascii[char[0]]
	case s.others[char] != nil:
		return s.others[char]
	}
	next := d.cachedState(d.tokensAfter(s, char))
	if d.cacheRoom >= nonASCIIWords {
		d.cacheRoom -= nonASCIIWords
		s.others[strings.Clone(char)] = next
	}
	return next
}

// tokensAfter returns the tokens that can follow a character.
func (d *nameDFA) tokensAfter(s *nameState, char string) []int {
	var at []int
	for _, i := range s.at {
		switch t := &d.tokens[i]; {
		case t.kind == anyChars:
			at = d.addReachable(at, i)
		case t.accepts(char):
			at = d.addReachable(at, i+1)
		}
	}
	return at
}
