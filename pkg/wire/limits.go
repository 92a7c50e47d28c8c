package wire

import (
	"fmt"

	"github.com/tidwall/gjson"
)

// Limits bound what the response of a body may hold. A zero field is no limit.
type Limits struct {
	Calls     int // the call after these is the last that is decoded
	Arguments int // bytes of the arguments of one call
	Text      int // bytes of text, reasoning and arguments together
}

// Limit sets the limits of the response. Decoding ends with an error of the kind [Large] at the first that is exceeded.
func (b *body) Limit(l Limits) { b.limits = l }

// exceeds ends the decoding if a limit is exceeded; format says which one.
func (b *body) exceeds(n, limit int, format string) bool {
	if limit == 0 || n <= limit {
		return false
	}
	if b.err == nil {
		b.fail(Large, b.at, fmt.Sprintf(format, limit))
	}
	return true
}

func (b *body) exceedsCalls(n int) bool {
	return b != nil && b.exceeds(n, b.limits.Calls, "the reply has more than %d calls")
}

func (b *body) exceedsArguments(n int) bool {
	return b != nil && b.exceeds(n, b.limits.Arguments, "the arguments of one call are over %d bytes")
}

// hold counts bytes of the response and reports whether it may have them.
func (b *body) hold(n int) bool {
	b.held += n
	return !b.exceeds(b.held, b.limits.Text, "the text and calls of the reply are over %d bytes")
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
