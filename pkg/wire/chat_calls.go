package wire

import (
	"strings"

	"github.com/tidwall/gjson"
)

// A callDelta is what one delta says of one call.
type callDelta struct {
	index, id, name, args string
	values                struct{ id, name, args gjson.Result } // where they stand
	custom                bool                                  // args are the text of a custom tool
}

// parseCallDelta reads a piece of a call. Some servers leave out the "function" and
// appendArguments its members in the call itself.
func parseCallDelta(v gjson.Result) callDelta {
	p := callDelta{index: idText(v.Get("index"))}
	p.values.id = v.Get("id")
	f, args := v, "arguments"
	switch {
	case v.Get("function").IsObject():
		f = v.Get("function")
	case v.Get("custom").IsObject():
		f, args, p.custom = v.Get("custom"), "input", true
	}
	p.values.name, p.values.args = f.Get("name"), f.Get(args)
	p.id, p.name, p.args = idText(p.values.id), p.values.name.Str, argumentText(p.values.args)
	return p
}

// callIndex finds the call that a piece belongs to: by its index, by its id, or else
// by its place. Each is missing, repeated or wrong on some server.
type callIndex struct {
	byIndex, byID map[string]*pendingCall
}

// lookup returns the call of the i-th of n pieces that come together, or nil if
// that is a new one.
func (r *callIndex) lookup(q *callQueue, p callDelta, i, n int) *pendingCall {
	if len(q.calls) == 0 || n > 1 && p.name != "" && p.index == "" && p.id == "" {
		return nil
	}
	if r.isOtherCall(p) {
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
	if c == nil || c.startsOtherCall(p) {
		return nil
	}
	return c
}

// isEmpty reports whether a piece says nothing.
func (p *callDelta) isEmpty() bool { return p.id == "" && p.name == "" && p.args == "" }

// isOtherCall reports whether a piece belongs to none of the calls so far: each piece of
// them had an index, and this one has another.
func (r *callIndex) isOtherCall(p callDelta) bool {
	return p.index != "" && r.byIndex[p.index] == nil && r.byIndex[""] == nil
}

// startsOtherCall reports whether a piece that seems to belong to the call begins
// another one: some servers use an index or an id twice, and some have neither.
func (c *pendingCall) startsOtherCall(p callDelta) bool {
	going := c.scanner.isOpen() || c.notObject
	switch {
	case p.name == "":
		return false
	case p.id != "" && c.id != "":
		return p.id != c.id || p.index == "" && c.isComplete && p.args != ""
	case p.id == "" && p.index == "":
		return p.name != c.name || !going && (p.args == "" || !c.lacksArguments())
	}
	return len(c.args) > 0 && (p.name != c.name || p.args != "" && !going)
}

// maxToolName is the length of the longest name that is put together. OpenAI
// allows 64 bytes.
const maxToolName = 1 << 10

// record notes what a piece says about where the next ones belong, and of the
// readName, which may come in pieces, too, or again and again.
func (r *callIndex) record(c *pendingCall, p callDelta) {
	if r.byIndex == nil {
		r.byIndex, r.byID = map[string]*pendingCall{}, map[string]*pendingCall{}
	}
	if r.byIndex[p.index] == nil || r.byID[p.id] == nil {
		c.body.reserveNative(nodeBytes + len(p.index) + len(p.id))
	}
	r.byIndex[p.index], r.byID[p.id] = c, c
	if c.id == "" && p.id != "" {
		c.id, c.sources.ID = p.id, c.body.segmentsOf(0, p.values.id)
	}
	if p.name != c.name && len(c.args) == 0 && len(c.name) < maxToolName {
		c.sources.Name = append(c.sources.Name, c.body.nameSegments(len(c.name), p.values.name)...)
		c.name = strings.Clone(c.name + p.name)
	}
}

// A nativeCall is a call in the form of its server.
type nativeCall struct {
	call       *node
	name, args *node // of it
	verbatim   bool  // the arguments are no string
}

// newNativeCall returns the form of a call.
func newNativeCall(call *node) *nativeCall {
	return &nativeCall{call: call, name: &node{}, args: &node{}}
}

// addNative adds a piece of the call. The index is only about the stream, and the
// id is the first one.
func (f *nativeCall) add(v gjson.Result) {
	v.ForEach(func(k, v gjson.Result) bool {
		switch m := f.call.member; k.Str {
		case "index":
		case "id":
			if id := m(k.Str); !hasContent(id.raw) {
				id.set(v)
			}
		case "function":
			f.addFunction(m(k.Str), "arguments", v)
		case "custom":
			f.addFunction(m(k.Str), "input", v)
		default:
			m(k.Str).merge(k.Str, v, maxMergeDepth)
		}
		return true
	})
}

// addFunction adds a piece of the function in the call. Its arguments have a
// appendSegments also when there are none.
func (f *nativeCall) addFunction(function *node, args string, v gjson.Result) {
	v.ForEach(func(k, v gjson.Result) bool {
		switch m := function.member(k.Str); k.Str {
		case "name":
			f.name = m
		case args:
			f.verbatim = f.verbatim || v.IsObject()
		default:
			m.merge(k.Str, v, maxMergeDepth)
		}
		return true
	})
	f.args = function.member(args)
}

// setFinal puts in what has been read of the call.
func (f *nativeCall) setFinal(c *pendingCall) {
	*f.name = node{kind: '"', inParts: true, text: []byte(c.name)}
	*f.args = node{kind: '"', inParts: true, text: c.args}
	if f.verbatim && isObject(c.args) {
		*f.args = node{kind: '{', raw: string(c.args)}
	}
}
