package wire

import (
	"github.com/tidwall/gjson"
)

// Limits limit the response of a body. A zero field is no limit.
type Limits struct {
	Calls     int // decoding ends after the first call over the limit
	Arguments int // bytes of the arguments of one call
	Text      int // bytes of text, reasoning and arguments together; twice that for native parts
}

// Further limits that apply with Limits.
const (
	maxValues    = 1_000_000 // in a message
	maxItems     = 50_000    // in a list
	maxModelName = 1 << 10   // bytes of a model name
	maxKeyLen    = 64 << 10  // bytes of a call's id or name, or of another lookup key
)

func (r *Response) exceedsCalls(n int) bool {
	return r.exceeds(n, r.limits.Calls, "the reply has more than %d calls")
}

// ExceedsArguments ends decoding and returns true if n bytes of arguments are too many for a call.
func (r *Response) ExceedsArguments(n int) bool {
	return r.exceeds(n, r.limits.Arguments, "the arguments of a call exceed %d bytes")
}

// ExceedsKeyLen ends decoding and returns true if the id or name of a call is too long.
func (r *Response) ExceedsKeyLen(id, name gjson.Result) bool {
	return r.limits.Text > 0 && r.exceeds(max(len(id.Raw), len(name.Raw)), maxKeyLen, "the id or name of a call exceeds %d bytes")
}

// reserve counts bytes of the response and reports whether they are within the limit.
func (r *Response) reserve(n int) bool {
	r.heldBytes += n
	return !r.exceeds(r.heldBytes, r.limits.Text, "the text and calls of the reply exceed %d bytes")
}

// nodeBytes is the approximate size of a node or map entry.
const nodeBytes = 256

// A byteBudget counts the bytes of retained parts of a response.
type byteBudget struct{ used, limit int }

func (s *byteBudget) add(n int) {
	if s != nil {
		s.used += n
	}
}

// ReserveNative counts bytes of a retained native part.
func (r *Response) ReserveNative(n int) { r.native.add(n) }

// ReserveEntry counts a map entry or element with a key or value of n bytes.
func (r *Response) ReserveEntry(n int) { r.native.add(nodeBytes + n) }

func (s *byteBudget) isExceeded() bool { return s != nil && s.limit > 0 && s.used > s.limit }

// ExceedsNative ends decoding and returns true if the retained parts are too large.
func (r *Response) ExceedsNative() bool {
	return r.exceeds(r.native.used, r.native.limit, "the parts of the reply exceed %d bytes")
}

// Each calls f with the elements of an array, or with a single value, until decoding ends.
func (r *Response) Each(v gjson.Result, f func(gjson.Result)) {
	if !v.IsArray() {
		if v.Type != gjson.Null {
			f(v)
		}
		return
	}
	v.ForEach(func(_, item gjson.Result) bool {
		f(item)
		return r.err == nil && !r.ExceedsNative()
	})
}

// Items returns the elements of an array, or a single value. The first element over the limit
// ends decoding.
func (r *Response) Items(v gjson.Result) []gjson.Result {
	if r.native.limit == 0 || !v.IsArray() {
		return v.Array()
	}
	var items []gjson.Result
	v.ForEach(func(_, item gjson.Result) bool {
		items = append(items, item)
		return !r.exceeds(len(items), maxItems, "a list in the reply has more than %d elements")
	})
	return items
}

// CallItems returns the elements of an array of calls. The first one over the limit is included
// and ends decoding.
func (r *Response) CallItems(v gjson.Result) []gjson.Result {
	if r.limits.Calls == 0 || !v.IsArray() {
		return v.Array()
	}
	var items []gjson.Result
	v.ForEach(func(_, item gjson.Result) bool {
		items = append(items, item)
		return !r.exceedsCalls(len(items))
	})
	return items
}
