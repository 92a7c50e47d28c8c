package jsonrepair

import (
	"strings"

	"oneshot/pkg/diag"
)

// call opens the bracket of a call such as ObjectId("…") or callback({…}). Only
// its content is read: nothing is evaluated. It reports whether there is
// one.
func (r *reader) call() bool {
	name := r.callName()
	if name == 0 {
		return false
	}
	open := r.at + name
	for isBlank(r.text[open]) {
		open++
	}
	f := frame{start: r.at, opened: open + 1, closer: ')', quiet: true, call: true}
	arg := r.skip(f.opened)
	f.object = r.assigned(arg)
	if f.object {
		f.quiet = false
	} else if !r.argument(arg) {
		return false
	}
	r.add(note{code: diag.NotALiteral, start: r.at, end: f.opened, kind: diag.Unsafe,
		text: "a call is not evaluated; what is in it is read"})
	r.push(f)
	r.at = f.opened
	return true
}

// arrow reports whether the parameters of an arrow function stand at the place.
func (r *reader) arrow() bool {
	limit := min(r.end, r.at+window)
	k := strings.IndexByte(r.text[r.at:limit], ')')
	r.steps += max(k, 0)
	return k > 0 && strings.HasPrefix(r.text[r.skip(r.at+k+1):r.end], "=>")
}

// callName returns the length of the name of a call at the place, 0 if there is
// none. Blanks in front of its bracket are only allowed where nothing else can be
// meant.
func (r *reader) callName() int {
	i := r.at
	if strings.HasPrefix(r.text[i:r.end], "new ") {
		i += 4
	}
	start := i
	limit := min(r.end, i+window)
	for i < limit && (isLetter(r.text[i]) || isDigit(r.text[i]) || r.text[i] == '.') {
		i++
	}
	r.steps += i - start
	if i == start || i >= limit || isDigit(r.text[start]) {
		return 0
	}
	n := i - r.at
	for i < limit && isBlank(r.text[i]) && r.top() == nil {
		i++
	}
	if i >= limit || r.text[i] != '(' {
		return 0
	}
	return n
}

// assigned reports whether an argument with a name stands at an offset.
func (r *reader) assigned(i int) bool {
	k := i
	for k < min(r.end, i+window) && (isLetter(r.text[k]) || isDigit(r.text[k])) {
		k++
	}
	return k > i && k < r.end && r.text[k] == '=' && !strings.HasPrefix(r.text[k:r.end], "==")
}

// argument reports whether a literal, or the end of a call, stands at an offset.
func (r *reader) argument(i int) bool {
	if i >= r.end {
		return false
	}
	c := r.text[i]
	if c == ')' {
		k := r.skip(i + 1)
		return k >= r.end || r.text[k] != '{' && r.text[k] != '=' && r.text[k] != '-'
	}
	return c == '{' || c == '[' || c == '-' || isDigit(c) || r.quoteAt(i).width > 0 ||
		prefixLen(r.text[i:r.end], "true", "false", "null", "True", "False", "None") > 0
}

// regex reads a regular expression as a string. It reports whether there is one.
func (r *reader) regex() bool {
	if r.text[r.at] != '/' {
		return false
	}
	class := false
	for i := r.at + 1; i < min(r.end, r.at+window) && r.text[i] != '\n'; i++ {
		r.steps++
		switch c := r.text[i]; {
		case c == '\\':
			i++
		case c == '[' || c == ']':
			class = c == '['
		case c == '/' && !class:
			r.regexTo(i + 1)
			return true
		}
	}
	return false
}

func (r *reader) regexTo(end int) {
	for end < r.end && strings.IndexByte("dgimsuvy", r.text[end]) >= 0 {
		end++
	}
	start := r.at
	r.begin(start, false)
	r.add(note{diag.NotALiteral, start, end, "a regular expression is no value of JSON", "write it as a string", diag.Unsafe,
		[]edit{insert(before, start, `"`), insert(behind, end, `"`)}})
	r.content(piece{from: start, to: end, exact: true}, nil)
	r.at = end
	r.done(end)
}
