package wire

import (
	"bytes"
	"errors"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/gjson"

	"oneshot/pkg/chat"
)

// A pendingCall is a call that arrives in pieces.
type pendingCall struct {
	id, name      string
	index         int           // its place among the calls
	args          []byte        // as written, from the first byte that is not blank
	scanner       objectScanner // of args
	notObject     bool          // args are something else than one object
	isEmptyObject bool          // args are {}, which some servers write before the real ones
	isComplete    bool          // args are any other object
	ended         bool          // there can be no more
	unparsed      bool          // args are a text that should be arguments, whatever it looks like
	isCustom      bool          // args are the text that a custom tool takes
	native        *nativeCall   // nil if nobody asks for it
	body          *body
	sources       CallSources
}

// errAfterEnd is the fault of a stream that goes on with a call after its end.
var errAfterEnd = errors.New("argument data after the end of the call")

// appendArguments adds text to the arguments: what stands in their place.
func (c *pendingCall) appendArguments(v gjson.Result) error {
	all := argumentText(v)
	text := all
	if !c.isCustom && (len(c.args) == 0 || c.isEmptyObject || c.isComplete || c.ended) {
		text = strings.TrimLeft(text, blanks)
	}
	switch {
	case text == "":
		return nil
	case c.body.exceedsArguments(len(c.args) + len(text)):
		return nil
	case c.isComplete || c.ended:
		return errAfterEnd
	case c.isEmptyObject:
		c.args, c.isEmptyObject, c.sources.Arguments = c.args[:0], false, nil
	}
	c.sources.Arguments = append(c.sources.Arguments, c.body.segmentsOf(len(c.args)+len(text)-len(all), v)...)
	c.args = append(c.args, text...)
	c.body.reserveNative(len(text))
	if !c.notObject && !c.isCustom {
		c.trackArguments(c.args[len(c.args)-len(text):])
	}
	return nil
}

// setArguments notes what all the arguments are, if that is said, in one of some values.
func (c *pendingCall) setArguments(values ...gjson.Result) {
	for _, v := range values {
		if text := argumentText(v); text != "" {
			if !c.body.exceedsArguments(len(text)) {
				c.args, c.sources.Arguments = []byte(text), c.body.segmentsOf(0, v)
			}
			return
		}
	}
}

// trackArguments finds out whether the arguments are one object, and whole.
func (c *pendingCall) trackArguments(text []byte) {
	n, end, err := c.scanner.scan(text)
	switch {
	case err != nil, end && !isBlank(text[n:]), end && !jsontext.Value(c.args).IsValid():
		c.notObject = true
	case end:
		c.isEmptyObject = string(bytes.TrimSpace(c.args)) == "{}"
		c.isComplete = !c.isEmptyObject
	}
}

// lacksArguments reports whether no arguments have come yet.
func (c *pendingCall) lacksArguments() bool { return len(c.args) == 0 || c.isEmptyObject }

// build returns the call. If it has been cut, it is none that can be executed.
func (c *pendingCall) build(cut bool) chat.Call {
	switch {
	case cut:
		return chat.Call{ID: c.id, Name: c.name, Text: string(c.args), Status: chat.StatusTruncated}
	case c.isCustom:
		return customCall(c.id, c.name, string(c.args))
	case c.unparsed:
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

// argumentText returns what stands in the place of arguments: the text of a string,
// nothing for null, and anything else as it is.
func argumentText(args gjson.Result) string {
	if args.Type == gjson.String {
		return args.Str
	}
	if args.Type == gjson.Null {
		return ""
	}
	return args.Raw
}

// A callQueue hands on calls in the order in which they began.
type callQueue struct {
	body          *body
	eager         bool // calls are over when their arguments are, without another word
	calls         []*pendingCall
	sent          int // calls[:sent] have been handed on
	withArguments int // calls[begun:] have no arguments yet
}

// add adds a call, with the arguments that have come with its beginning.
func (q *callQueue) add(id, name, args gjson.Result) *pendingCall {
	q.body.exceedsCalls(len(q.calls))
	if q.body.exceedsKey(id, name) {
		id, name = gjson.Result{}, gjson.Result{}
	}
	c := &pendingCall{id: idText(id), name: strings.Clone(name.Str), index: len(q.calls), body: q.body}
	c.sources.ID, c.sources.Name = q.body.segmentsOf(0, id), q.body.nameSegments(0, name)
	q.calls = append(q.calls, c)
	q.body.reserveNative(nodeBytes + len(c.id) + len(c.name))
	_ = q.appendArguments(c, args) // a call that begins has not ended
	return c
}

// appendArguments adds text to the arguments of a call.
func (q *callQueue) appendArguments(c *pendingCall, v gjson.Result) error {
	err := c.appendArguments(v)
	if !c.lacksArguments() {
		q.withArguments = max(q.withArguments, c.index+1)
	}
	return err
}

// emitEnded hands on the calls that are over, up to the first that is not.
func (q *callQueue) emitEnded(hand func(chat.Call, CallSources)) {
	for q.sent < len(q.calls) && q.isEnded(q.calls[q.sent]) {
		q.emitNext(hand, false)
	}
}

// isEnded reports whether a call is over. Without arguments it is when a later one
// has some: until then its own could come.
func (q *callQueue) isEnded(c *pendingCall) bool {
	return c.ended || q.eager && (c.isComplete || c.lacksArguments() && c.index+1 < q.withArguments)
}

// emitAll hands on all calls. Those that were not over have been cut, unless the
// stop is clean.
func (q *callQueue) emitAll(stop chat.Stop, hand func(chat.Call, CallSources)) {
	for q.sent < len(q.calls) {
		q.emitNext(hand, stop != chat.StopEnd && !q.isEnded(q.calls[q.sent]))
	}
}

// emitNext hands on one call.
func (q *callQueue) emitNext(hand func(chat.Call, CallSources), cut bool) {
	c := q.calls[q.sent]
	c.ended = true
	q.sent++
	call := c.build(cut)
	if c.isCustom && call.Arguments != nil { // they are made, and stand nowhere
		c.sources.Arguments = nil
	}
	hand(call, c.sources)
}
