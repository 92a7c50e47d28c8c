package wire

import (
	"strings"

	"github.com/tidwall/gjson"
)

// A callDelta is the content of one delta of a call.
type callDelta struct {
	index, id, name, args string
	values                struct{ id, name, args gjson.Result } // with their sources
	custom                bool                                  // args are the input text of a custom tool
}

// parseCallDelta parses a delta of a call. Some servers omit "function" and write its members
// into the call itself.
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

// A callIndex finds the call of a delta: by its index, its id, or its position. Each is missing,
// repeated or wrong on some server.
type callIndex struct {
	byIndex, byID map[string]*pendingCall
}

// lookup returns the call of the i-th of n deltas in a message, or nil for a new call.
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

// isEmpty reports whether a delta has no content.
func (p *callDelta) isEmpty() bool { return p.id == "" && p.name == "" && p.args == "" }

// isOtherCall reports whether a delta belongs to none of the calls so far: all of their deltas
// had an index, and this one has another.
func (r *callIndex) isOtherCall(p callDelta) bool {
	return p.index != "" && r.byIndex[p.index] == nil && r.byIndex[""] == nil
}

// startsOtherCall reports whether a delta that seems to belong to the call begins another one:
// some servers reuse an index or id, and some have neither.
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

// maxToolName limits the length of a merged name. OpenAI allows 64 bytes.
const maxToolName = 1 << 10

// record stores the ids of a delta for later ones, and its name, which may also arrive in pieces
// or repeatedly.
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

// A nativeCall is a call in its server's own format.
type nativeCall struct {
	call       *node
	name, args *node // of the call
	verbatim   bool  // the arguments are an object, not a string
}

func newNativeCall(call *node) *nativeCall {
	return &nativeCall{call: call, name: &node{}, args: &node{}}
}

// add merges a delta of the call. The index concerns only the stream, and the first id counts.
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

// addFunction merges a delta of the function in the call. Its arguments get a position even if
// there are none.
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

// setFinal sets the final name and arguments of the call.
func (f *nativeCall) setFinal(c *pendingCall) {
	*f.name = node{kind: '"', inParts: true, text: []byte(c.name)}
	*f.args = node{kind: '"', inParts: true, text: c.args}
	if f.verbatim && isObject(c.args) {
		*f.args = node{kind: '{', raw: string(c.args)}
	}
}
