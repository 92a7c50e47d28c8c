package wire

import (
	"bytes"
	"errors"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/gjson"

	"oneshot/pkg/chat"
)

// A pending is a call that arrives in pieces.
type pending struct {
	id, name string
	number   int       // its place among the calls
	args     []byte    // as written, from the first byte that is not blank
	scan     frame     // of args
	unclear  bool      // args are something else than one object
	hollow   bool      // args are {}, which some servers write before the real ones
	whole    bool      // args are any other object
	ended    bool      // there can be no more
	free     bool      // args are a text that should be arguments, whatever it looks like
	custom   bool      // args are the text that a custom tool takes
	form     *callForm // nil if nobody asks for it
	body     *body
	from     CallSources
}

// errAfter is the fault of a stream that goes on with a call after its end.
var errAfter = errors.New("more arguments for a call that has ended")

// write adds text to the arguments: what stands in their place.
func (c *pending) write(v gjson.Result) error {
	all := written(v)
	text := all
	if !c.custom && (len(c.args) == 0 || c.hollow || c.whole || c.ended) {
		text = strings.TrimLeft(text, blanks)
	}
	switch {
	case text == "":
		return nil
	case c.body.exceedsArguments(len(c.args) + len(text)):
		return nil
	case c.whole || c.ended:
		return errAfter
	case c.hollow:
		c.args, c.hollow, c.from.Arguments = c.args[:0], false, nil
	}
	c.from.Arguments = append(c.from.Arguments, c.body.placed(len(c.args)+len(text)-len(all), v)...)
	c.args = append(c.args, text...)
	c.body.keep(len(text))
	if !c.unclear && !c.custom {
		c.follow(c.args[len(c.args)-len(text):])
	}
	return nil
}

// replace notes what all the arguments are, if that is said, in one of some values.
func (c *pending) replace(values ...gjson.Result) {
	for _, v := range values {
		if text := written(v); text != "" {
			if !c.body.exceedsArguments(len(text)) {
				c.args, c.from.Arguments = []byte(text), c.body.placed(0, v)
			}
			return
		}
	}
}

// follow finds out whether the arguments are one object, and whole.
func (c *pending) follow(text []byte) {
	n, end, err := c.scan.next(text)
	switch {
	case err != nil, end && !blank(text[n:]), end && !jsontext.Value(c.args).IsValid():
		c.unclear = true
	case end:
		c.hollow = string(bytes.TrimSpace(c.args)) == "{}"
		c.whole = !c.hollow
	}
}

// bare reports whether no arguments have come yet.
func (c *pending) bare() bool { return len(c.args) == 0 || c.hollow }

// call returns the call. If it has been cut, it is none that can be executed.
func (c *pending) call(cut bool) chat.Call {
	switch {
	case cut:
		return chat.Call{ID: c.id, Name: c.name, Text: string(c.args), Status: chat.StatusTruncated}
	case c.custom:
		return customCall(c.id, c.name, string(c.args))
	case c.free:
		return chat.Call{ID: c.id, Name: c.name, Text: string(c.args), Status: chat.StatusInvalid}
	}
	return newCall(c.id, c.name, c.args)
}

// customCall returns the call of a custom tool, whose input is a text and no JSON: it is
// the one argument, by the name that its server has for it.
func customCall(id, name, input string) chat.Call {
	quoted, err := jsontext.AppendQuote([]byte(`{"input":`), input)
	if err != nil { // it is not UTF-8
		return chat.Call{ID: id, Name: name, Text: input, Status: chat.StatusInvalid}
	}
	return chat.Call{ID: id, Name: name, Arguments: append(quoted, '}'), Status: chat.StatusOK, Executable: true}
}

// newCall returns a call with what a server sent for its arguments, of which it
// keeps a reference.
func newCall(id, name string, args []byte) chat.Call {
	if object := bytes.TrimSpace(args); isObject(object) {
		return chat.Call{ID: id, Name: name, Arguments: object, Status: chat.StatusOK, Executable: true}
	}
	return chat.Call{ID: id, Name: name, Text: string(args), Status: chat.StatusInvalid}
}

// isObject reports whether a text is strictly an object.
func isObject(text []byte) bool {
	return len(text) > 0 && text[0] == '{' && jsontext.Value(text).IsValid()
}

// written returns what stands in the place of arguments: the text of a string,
// nothing for null, and anything else as it is.
func written(args gjson.Result) string {
	if args.Type == gjson.String {
		return args.Str
	}
	if args.Type == gjson.Null {
		return ""
	}
	return args.Raw
}

// A queue hands on calls in the order in which they began.
type queue struct {
	body  *body
	eager bool // calls are over when their arguments are, without another word
	calls []*pending
	sent  int // calls[:sent] have been handed on
	begun int // calls[begun:] have no arguments yet
}

// add adds a call, with the arguments that have come with its beginning.
func (q *queue) add(id, name, args gjson.Result) *pending {
	q.body.exceedsCalls(len(q.calls))
	if q.body.exceedsKey(id, name) {
		id, name = gjson.Result{}, gjson.Result{}
	}
	c := &pending{id: key(id), name: strings.Clone(name.Str), number: len(q.calls), body: q.body}
	c.from.ID, c.from.Name = q.body.placed(0, id), q.body.placedName(0, name)
	q.calls = append(q.calls, c)
	q.body.keep(nodeBytes + len(c.id) + len(c.name))
	_ = q.write(c, args) // a call that begins has not ended
	return c
}

// write adds text to the arguments of a call.
func (q *queue) write(c *pending, v gjson.Result) error {
	err := c.write(v)
	if !c.bare() {
		q.begun = max(q.begun, c.number+1)
	}
	return err
}

// settle hands on the calls that are over, up to the first that is not.
func (q *queue) settle(hand func(chat.Call, CallSources)) {
	for q.sent < len(q.calls) && q.over(q.calls[q.sent]) {
		q.next(hand, false)
	}
}

// over reports whether a call is over. Without arguments it is when a later one
// has some: until then its own could come.
func (q *queue) over(c *pending) bool {
	return c.ended || q.eager && (c.whole || c.bare() && c.number+1 < q.begun)
}

// finish hands on all calls. Those that were not over have been cut, unless the
// stop is clean.
func (q *queue) finish(stop chat.Stop, hand func(chat.Call, CallSources)) {
	for q.sent < len(q.calls) {
		q.next(hand, stop != chat.StopEnd && !q.over(q.calls[q.sent]))
	}
}

// next hands on one call.
func (q *queue) next(hand func(chat.Call, CallSources), cut bool) {
	c := q.calls[q.sent]
	c.ended = true
	q.sent++
	call := c.call(cut)
	if c.custom && call.Arguments != nil { // they are made, and stand nowhere
		c.from.Arguments = nil
	}
	hand(call, c.from)
}
