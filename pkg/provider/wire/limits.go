package wire

import (
	"fmt"

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

// SetLimits sets the limits of the response. Decoding ends with a [TooLarge] error at the first
// exceeded limit.
func (b *body) SetLimits(l Limits) {
	b.limits = l
	b.nativeBudget.limit = 2 * l.Text
}

// exceeds ends decoding and returns true if a limit is exceeded. The format is the error
// message.
func (b *body) exceeds(n, limit int, format string) bool {
	if limit == 0 || n <= limit {
		return false
	}
	if b.err == nil {
		b.fail(TooLarge, b.objectStart, fmt.Sprintf(format, limit))
	}
	return true
}

func (b *body) exceedsCalls(n int) bool {
	return b != nil && b.exceeds(n, b.limits.Calls, "the reply has more than %d calls")
}

func (b *body) exceedsArguments(n int) bool {
	return b != nil && b.exceeds(n, b.limits.Arguments, "the arguments of a call exceed %d bytes")
}

// exceedsKey ends decoding and returns true if the id or name of a call is too long.
func (b *body) exceedsKey(id, name gjson.Result) bool {
	return b != nil && b.limits.Text > 0 && b.exceeds(max(len(id.Raw), len(name.Raw)), maxKeyLen, "the id or name of a call exceeds %d bytes")
}

// reserve counts bytes of the response and reports whether they are within the limit.
func (b *body) reserve(n int) bool {
	b.heldBytes += n
	return !b.exceeds(b.heldBytes, b.limits.Text, "the text and calls of the reply exceed %d bytes")
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

// reserveNative counts bytes of a retained native part.
func (b *body) reserveNative(n int) {
	if b != nil {
		b.nativeBudget.add(n)
	}
}

func (s *byteBudget) isExceeded() bool { return s != nil && s.limit > 0 && s.used > s.limit }

// exceedsNative ends decoding and returns true if the retained parts are too large.
func (b *body) exceedsNative() bool {
	return b.exceeds(b.nativeBudget.used, b.nativeBudget.limit, "the parts of the reply exceed %d bytes")
}

// each calls f with the elements of an array, or with a single value, until decoding ends.
func (b *body) each(v gjson.Result, f func(gjson.Result)) {
	if !v.IsArray() {
		if v.Type != gjson.Null {
			f(v)
		}
		return
	}
	v.ForEach(func(_, item gjson.Result) bool {
		f(item)
		return b.err == nil && !b.exceedsNative()
	})
}

// items returns the elements of an array, or a single value. The first element over the limit
// ends decoding.
func (b *body) items(v gjson.Result) []gjson.Result {
	if b.nativeBudget.limit == 0 || !v.IsArray() {
		return v.Array()
	}
	var items []gjson.Result
	v.ForEach(func(_, item gjson.Result) bool {
		items = append(items, item)
		return !b.exceeds(len(items), maxItems, "a list in the reply has more than %d elements")
	})
	return items
}

// callItems returns the elements of an array of calls. The first one over the limit is included
// and ends decoding.
func (b *body) callItems(v gjson.Result) []gjson.Result {
	if b.limits.Calls == 0 || !v.IsArray() {
		return v.Array()
	}
	var items []gjson.Result
	v.ForEach(func(_, item gjson.Result) bool {
		items = append(items, item)
		return !b.exceedsCalls(len(items))
	})
	return items
}
