package wire

import (
	"fmt"

	"github.com/tidwall/gjson"
)

// Limits bound what the response of a body may hold. A zero field is no limit.
type Limits struct {
	Calls     int // the call after these is the last that is decoded
	Arguments int // bytes of the arguments of one call
	Text      int // bytes of text, reasoning and arguments together; twice that for its parts as the server has them
}

// What else a response may have, where its limits are set.
const (
	maxValues    = 1_000_000 // in a message
	maxItems     = 50_000    // in a list
	maxModelName = 1 << 10   // bytes of the name of a model
	maxKeyLen    = 64 << 10  // bytes of the id or the name of a call, or of what tells pieces apart
)

// Limit sets the limits of the response. Decoding ends with an error of the kind [Large] at the first that is exceeded.
func (b *body) Limit(l Limits) {
	b.limits = l
	b.nativeBudget.limit = 2 * l.Text
}

// exceeds ends the decoding if a limit is exceeded; format says which one.
func (b *body) exceeds(n, limit int, format string) bool {
	if limit == 0 || n <= limit {
		return false
	}
	if b.err == nil {
		b.fail(Large, b.objectStart, fmt.Sprintf(format, limit))
	}
	return true
}

func (b *body) exceedsCalls(n int) bool {
	return b != nil && b.exceeds(n, b.limits.Calls, "the reply has more than %d calls")
}

func (b *body) exceedsArguments(n int) bool {
	return b != nil && b.exceeds(n, b.limits.Arguments, "the arguments of a call exceed %d bytes")
}

// exceedsKey ends the decoding if the id or the name of a call is too long.
func (b *body) exceedsKey(id, name gjson.Result) bool {
	return b != nil && b.limits.Text > 0 && b.exceeds(max(len(id.Raw), len(name.Raw)), maxKeyLen, "the id or name of a call exceeds %d bytes")
}

// reserve counts bytes of the response and reports whether it may have them.
func (b *body) reserve(n int) bool {
	b.heldBytes += n
	return !b.exceeds(b.heldBytes, b.limits.Text, "the text and calls of the reply exceed %d bytes")
}

// nodeBytes is about what a node takes, and an entry of a map.
const nodeBytes = 256

// A byteBudget counts the bytes that parts of a response take which are kept for later.
type byteBudget struct{ used, limit int }

// add counts bytes.
func (s *byteBudget) add(n int) {
	if s != nil {
		s.used += n
	}
}

// reserveNative counts bytes that a part of the response takes which is kept.
func (b *body) reserveNative(n int) {
	if b != nil {
		b.nativeBudget.add(n)
	}
}

// isExceeded reports whether there is no room for more.
func (s *byteBudget) isExceeded() bool { return s != nil && s.limit > 0 && s.used > s.limit }

// exceedsNative ends the decoding if what is kept takes too much.
func (b *body) exceedsNative() bool {
	return b.exceeds(b.nativeBudget.used, b.nativeBudget.limit, "the parts of the reply exceed %d bytes")
}

// each calls f with the elements of an array, or with a value that is none, until the decoding has ended.
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

// items returns the elements of an array, or a value that is none. Of those over the limit there is only the first,
// which ends the decoding.
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

// callItems returns the elements of an array of calls, but of those over the limit only the first, which ends the
// decoding.
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
