package openai

import (
	"github.com/tidwall/gjson"

	"oneshot/pkg/provider/wire"
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
	p := callDelta{index: wire.StringOrNumber(v.Get("index"))}
	p.values.id = v.Get("id")
	f, args := v, "arguments"
	switch {
	case v.Get("function").IsObject():
		f = v.Get("function")
	case v.Get("custom").IsObject():
		f, args, p.custom = v.Get("custom"), "input", true
	}
	p.values.name, p.values.args = f.Get("name"), f.Get(args)
	p.id, p.name, p.args = wire.StringOrNumber(p.values.id), p.values.name.Str, wire.ArgumentText(p.values.args)
	return p
}

// A callIndex finds the call of a delta: by its index, its id, or its position. Each is missing,
// repeated or wrong on some server.
type callIndex struct {
	all           []*call
	byIndex, byID map[string]*call
}

// lookup returns the call of the i-th of n deltas in a message, or nil for a new call.
func (x *callIndex) lookup(p callDelta, i, n int) *call {
	if len(x.all) == 0 || n > 1 && p.name != "" && p.index == "" && p.id == "" {
		return nil
	}
	if x.hasNewIndex(p) {
		return nil
	}
	last := x.all[len(x.all)-1]
	c := x.byIndex[p.index]
	switch {
	case p.index != "" && (c != nil || p.name != ""):
	case p.id != "":
		c = x.byID[p.id]
		if c == nil && p.name == "" {
			c = last
		}
	case n > 1 && i < len(x.all):
		c = x.all[i]
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

// hasNewIndex reports whether a delta belongs to none of the calls so far: all of their deltas
// had an index, and this one has another.
func (x *callIndex) hasNewIndex(p callDelta) bool {
	return p.index != "" && x.byIndex[p.index] == nil && x.byIndex[""] == nil
}

// startsOtherCall reports whether a delta that seems to belong to the call begins another one:
// some servers reuse an index or id, and some have neither.
func (c *call) startsOtherCall(p callDelta) bool {
	going := c.IsOpen()
	switch {
	case p.name == "":
		return false
	case p.id != "" && c.ID != "":
		return p.id != c.ID || p.index == "" && c.IsComplete() && p.args != ""
	case p.id == "" && p.index == "":
		return p.name != c.Name || !going && (p.args == "" || !c.HasNoArguments())
	}
	return len(c.Args) > 0 && (p.name != c.Name || p.args != "" && !going)
}

// maxToolName limits the length of a merged name. OpenAI allows 64 bytes.
const maxToolName = 1 << 10

// recordDelta stores the ids of a delta for later ones, and its name, which may also arrive in pieces
// or repeatedly.
func (x *callIndex) recordDelta(r *wire.Response, c *call, p callDelta) {
	if x.byIndex == nil {
		x.byIndex, x.byID = map[string]*call{}, map[string]*call{}
	}
	if x.byIndex[p.index] == nil || x.byID[p.id] == nil {
		r.ReserveEntry(len(p.index) + len(p.id))
	}
	x.byIndex[p.index], x.byID[p.id] = c, c
	c.SetID(p.values.id)
	if p.name != c.Name && len(c.Args) == 0 && len(c.Name) < maxToolName {
		c.AppendName(p.values.name)
	}
}

// A call is a call with its form in the native message.
type call struct {
	*wire.PendingCall
	node       *wire.Node
	name, args *wire.Node // of the node
	verbatim   bool       // the arguments are an object, not a string
}

func newCall(c *wire.PendingCall, node *wire.Node) *call {
	return &call{PendingCall: c, node: node, name: &wire.Node{}, args: &wire.Node{}}
}

// mergeDelta merges a delta of the call. The index concerns only the stream, and the first id counts.
func (c *call) mergeDelta(v gjson.Result) {
	v.ForEach(func(k, v gjson.Result) bool {
		switch m := c.node.EnsureMember; k.Str {
		case "index":
		case "id":
			if id := m(k.Str); id.IsPlaceholder() {
				id.Set(v)
			}
		case "function":
			c.mergeFunction(m(k.Str), "arguments", v)
		case "custom":
			c.mergeFunction(m(k.Str), "input", v)
		default:
			m(k.Str).Merge(k.Str, v)
		}
		return true
	})
}

// mergeFunction merges a delta of the function in the call. Its arguments get a position even if
// there are none.
func (c *call) mergeFunction(function *wire.Node, args string, v gjson.Result) {
	v.ForEach(func(k, v gjson.Result) bool {
		switch m := function.EnsureMember(k.Str); k.Str {
		case "name":
			c.name = m
		case args:
			c.verbatim = c.verbatim || v.IsObject()
		default:
			m.Merge(k.Str, v)
		}
		return true
	})
	c.args = function.EnsureMember(args)
}

// setFinal sets the final name and arguments in the native message.
func (c *call) setFinal() {
	*c.name = wire.TextNode([]byte(c.Name))
	*c.args = wire.TextNode(c.Args)
	if c.verbatim && wire.IsObject(c.Args) {
		*c.args = wire.RawNode(string(c.Args))
	}
}
