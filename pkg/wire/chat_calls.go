package wire

import (
	"strings"

	"github.com/tidwall/gjson"
)

// A callPiece is what one delta says of one call.
type callPiece struct {
	index, id, name, args string
	at                    struct{ id, name, args gjson.Result } // where they stand
	custom                bool                                  // args are the text of a custom tool
}

// readPiece reads a piece of a call. Some servers leave out the "function" and
// write its members in the call itself.
func readPiece(v gjson.Result) callPiece {
	p := callPiece{index: key(v.Get("index"))}
	p.at.id = v.Get("id")
	f, args := v, "arguments"
	switch {
	case v.Get("function").IsObject():
		f = v.Get("function")
	case v.Get("custom").IsObject():
		f, args, p.custom = v.Get("custom"), "input", true
	}
	p.at.name, p.at.args = f.Get("name"), f.Get(args)
	p.id, p.name, p.args = key(p.at.id), p.at.name.Str, written(p.at.args)
	return p
}

// refs finds the call that a piece belongs to: by its index, by its id, or else
// by its place. Each is missing, repeated or wrong on some server.
type refs struct {
	byIndex, byID map[string]*pending
}

// find returns the call of the i-th of n pieces that come together, or nil if
// that is a new one.
func (r *refs) find(q *queue, p callPiece, i, n int) *pending {
	if len(q.calls) == 0 || n > 1 && p.name != "" && p.index == "" && p.id == "" {
		return nil
	}
	if r.elsewhere(p) {
		return nil
	}
	last := q.calls[len(q.calls)-1]
	c := r.byIndex[p.index]
	switch {
	case p.index != "" && (c != nil || p.name != ""):
	case p.id != "":
		c = r.byID[p.id]
		if c == nil && p.name == "" {
			c = last
		}
	case n > 1 && i < len(q.calls):
		c = q.calls[i]
	default:
		c = last
	}
	if c == nil || c.isOther(p) {
		return nil
	}
	return c
}

// empty reports whether a piece says nothing.
func (p *callPiece) empty() bool { return p.id == "" && p.name == "" && p.args == "" }

// elsewhere reports whether a piece belongs to none of the calls so far: each piece of
// them had an index, and this one has another.
func (r *refs) elsewhere(p callPiece) bool {
	return p.index != "" && r.byIndex[p.index] == nil && r.byIndex[""] == nil
}

// isOther reports whether a piece that seems to belong to the call begins
// another one: some servers use an index or an id twice, and some have neither.
func (c *pending) isOther(p callPiece) bool {
	going := c.scan.open() || c.unclear
	switch {
	case p.name == "":
		return false
	case p.id != "" && c.id != "":
		return p.id != c.id || p.index == "" && c.whole && p.args != ""
	case p.id == "" && p.index == "":
		return p.name != c.name || !going && (p.args == "" || !c.bare())
	}
	return len(c.args) > 0 && (p.name != c.name || p.args != "" && !going)
}

// longestName is the length of the longest name that is put together. OpenAI
// allows 64 bytes.
const longestName = 1 << 10

// note notes what a piece says about where the next ones belong, and of the
// name, which may come in pieces, too, or again and again.
func (r *refs) note(c *pending, p callPiece) {
	if r.byIndex == nil {
		r.byIndex, r.byID = map[string]*pending{}, map[string]*pending{}
	}
	if r.byIndex[p.index] == nil || r.byID[p.id] == nil {
		c.body.keep(nodeBytes + len(p.index) + len(p.id))
	}
	r.byIndex[p.index], r.byID[p.id] = c, c
	if c.id == "" && p.id != "" {
		c.id, c.from.ID = p.id, c.body.placed(0, p.at.id)
	}
	if p.name != c.name && len(c.args) == 0 && len(c.name) < longestName {
		c.from.Name = append(c.from.Name, c.body.placedName(len(c.name), p.at.name)...)
		c.name = strings.Clone(c.name + p.name)
	}
}

// A callForm is a call in the form of its server.
type callForm struct {
	call       *node
	name, args *node // of it
	verbatim   bool  // the arguments are no string
}

// newCallForm returns the form of a call.
func newCallForm(call *node) *callForm { return &callForm{call: call, name: &node{}, args: &node{}} }

// collect adds a piece of the call. The index is only about the stream, and the
// id is the first one.
func (f *callForm) collect(v gjson.Result) {
	v.ForEach(func(k, v gjson.Result) bool {
		switch m := f.call.member; k.Str {
		case "index":
		case "id":
			if id := m(k.Str); !says(id.raw) {
				id.set(v)
			}
		case "function":
			f.collectFunction(m(k.Str), "arguments", v)
		case "custom":
			f.collectFunction(m(k.Str), "input", v)
		default:
			m(k.Str).merge(k.Str, v, deepest)
		}
		return true
	})
}

// collectFunction adds a piece of the function in the call. Its arguments have a
// place also when there are none.
func (f *callForm) collectFunction(function *node, args string, v gjson.Result) {
	v.ForEach(func(k, v gjson.Result) bool {
		switch m := function.member(k.Str); k.Str {
		case "name":
			f.name = m
		case args:
			f.verbatim = f.verbatim || v.IsObject()
		default:
			m.merge(k.Str, v, deepest)
		}
		return true
	})
	f.args = function.member(args)
}

// fill puts in what has been read of the call.
func (f *callForm) fill(c *pending) {
	*f.name = node{kind: '"', opened: true, text: []byte(c.name)}
	*f.args = node{kind: '"', opened: true, text: c.args}
	if f.verbatim && isObject(c.args) {
		*f.args = node{kind: '{', raw: string(c.args)}
	}
}
