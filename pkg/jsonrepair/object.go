package jsonrepair

import "oneshot/pkg/diag"

// wantedKey reads a key, or the end of an object.
func (r *reader) wantedKey() {
	f, c := r.top(), r.text[r.at]
	switch {
	case f.missing && f.items > 0 && !isCloser(c) && !r.keyAt(r.at):
		r.leaveMissing()
	case isCloser(c):
		r.closer(c)
	case r.comma() > 0:
		r.skipOver(diag.BadLiteral, r.at+r.comma(), "a comma stands where a key should")
	case r.colon() > 0:
		r.skipOver(diag.BadLiteral, r.at+r.colon(), "a colon stands where a key should")
	case r.fence() > 0:
		r.innerFence()
	case r.ellipsis() > 0:
		r.dropEllipsis()
	case c == '{':
		r.objectForKey()
	case c == '[' || c == '(':
		r.arrayForKey(c)
	case r.strayWord():
	default:
		r.readKey()
	}
}

// readKey reads a key with or without quotes.
func (r *reader) readKey() {
	r.begin(r.at, true)
	f := r.top()
	k := key{start: r.at}
	if r.quote().width > 0 {
		r.quotedKey(&k)
	} else {
		r.bareKey(&k)
	}
	f.key, f.want = k, wantColon
}

// wantedColon reads the colon behind a key.
func (r *reader) wantedColon() {
	f := r.top()
	n := r.colon()
	switch {
	case n > 0:
		if r.text[r.at] != ':' {
			r.add(note{diag.BadLiteral, r.at, r.at + n, "this is no colon", "write one", diag.Unsafe, []edit{replace(r.at, r.at+n, ":")}})
		}
		f.key.colon, f.want = r.at+n, wantValue
		r.at += n
	case (r.comma() > 0 || r.text[r.at] == '}') && f.items == 1 && !f.missing:
		r.readAsSet()
		return
	case r.comma() > 0 || isCloser(r.text[r.at]):
		r.noColon()
		return
	default:
		r.add(note{diag.BadLiteral, f.key.end, r.at, "a colon is missing", "insert it", diag.Unsafe, []edit{insert(behind, f.key.end, ":")}})
		f.key.colon, f.want = f.key.end, wantValue
	}
	r.noteKey()
}

// noColon writes a colon and a value for a key that has none.
func (r *reader) noColon() {
	f := r.top()
	r.add(note{diag.BadLiteral, f.key.start, f.key.end, "the key has no value", "write one", diag.Unsafe,
		[]edit{insert(behind, f.key.end, ": null")}})
	f.key.colon = f.key.end
	r.noteKey()
	r.done(f.key.end)
}

// noteKey notes a key that its object already has.
func (r *reader) noteKey() {
	f := r.top()
	if f.keys == nil {
		f.keys = map[string]bool{}
	}
	if f.keys[f.key.name] {
		r.duplicate(f.key.start, f.key.end)
	}
	f.keys[f.key.name] = true
}

func (r *reader) duplicate(start, end int) {
	r.duplicates++
	r.add(note{code: diag.DuplicateKey, start: start, end: end, kind: diag.Safe,
		text: "the key " + excerpt(r.text[start:end]) + " stands here for the second time; both are kept"})
}

// noValue follows a colon or comma that is followed by a comma.
func (r *reader) noValue() {
	f := r.top()
	if f == nil || !f.object {
		r.skipOver(diag.BadLiteral, r.at+r.comma(), "a comma stands where an item should")
		return
	}
	r.noMemberValue()
}

// noMemberValue writes a value for a member that has none.
func (r *reader) noMemberValue() {
	f := r.top()
	r.add(note{diag.BadLiteral, f.key.start, f.key.colon, "the key has no value", "write one", diag.Unsafe,
		[]edit{insert(behind, f.key.colon, "null")}})
	r.done(f.key.colon)
}

// objectForKey follows an opening brace where a key should be: the next object
// of an array, or braces that were doubled.
func (r *reader) objectForKey() {
	f := r.top()
	if f.items > 0 && len(r.stack) > 1 && !r.stack[len(r.stack)-2].object {
		r.nextObject()
		return
	}
	r.ignoreBracket('}')
}

// nextObject closes an object in front of the next one of its array.
func (r *reader) nextObject() {
	comma := r.top().comma
	r.top().comma = none
	r.popMissing()
	if f := r.top(); comma >= 0 {
		f.comma, f.want = comma, f.wanted()
	}
}

// ignoreBracket passes over an opening bracket, and later over the one that
// closes it.
func (r *reader) ignoreBracket(closer byte) {
	f := r.top()
	if len(f.extra) >= MaxDepth {
		r.deep = true
		return
	}
	f.extra = append(f.extra, closer)
	r.skipOver(diag.UnbalancedBracket, r.at+1, "a bracket stands where a key should")
}

// arrayForKey follows an opening bracket where a key should be. If the last
// member is an array, it was closed too early.
func (r *reader) arrayForKey(c byte) {
	f := r.top()
	if f.previous == nil || f.previous.closer != c+2 || f.previous.items == 0 {
		closer := byte(']')
		if c == '(' {
			closer = ')'
		}
		r.ignoreBracket(closer)
		return
	}
	old, comma, end := *f.previous, f.comma, f.end
	old.inserted = f.inserted
	f.comma, f.inserted, f.previous = none, none, nil
	old.want, old.comma = wantValue, comma
	if next := r.skip(r.at + 1); old.rows && old.run >= 0 && next < r.end && r.text[next] != c {
		r.add(note{diag.UnbalancedBracket, old.run, end, "the bracket of a row is missing", "insert it", diag.Unsafe, []edit{insert(around, old.run, "[")}})
		old.end = end
	} else {
		r.add(note{diag.UnbalancedBracket, end - 1, r.at + 1, "the array closes too early", "join its parts", diag.Unsafe,
			[]edit{remove(end-1, end), remove(r.at, r.at+1)}})
		r.at++
	}
	r.stack = append(r.stack, old)
}

// nextMember reads what follows a member without a comma.
func (r *reader) nextMember() {
	c := r.text[r.at]
	switch {
	case c == '{' && (len(r.stack) == 1 || !r.stack[len(r.stack)-2].object):
		r.popMissing()
	case c == '{' || c == '[' || c == '(' || r.quote().width > 0 && r.colon() == 0 || r.keyAt(r.at):
		r.missingComma()
	default:
		r.junk()
	}
}

// junk drops text behind a member: up to a comma, a bracket, a line end or a key.
func (r *reader) junk() {
	i := r.at + 1
	for i < r.end && !isCloser(r.text[i]) && r.text[i] != ',' && r.text[i] != '\n' {
		if r.text[i] == '"' && r.text[i-1] != '\\' && r.keyAt(i) {
			break
		}
		i++
	}
	r.skipOver(diag.UnquotedString, i, "unexpected text after a value")
}
