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
	index         int           // position among the calls
	args          []byte        // as written, from the first byte that is not whitespace
	scanner       objectScanner // finds the end of args
	notObject     bool          // args are not one object
	isEmptyObject bool          // args are {}, which some servers send before the real ones
	isComplete    bool          // args are another complete object
	ended         bool          // no more arguments can follow
	unparsed      bool          // args are kept as text, never as arguments
	isCustom      bool          // args are the input text of a custom tool
	native        *nativeCall   // nil if not needed
	body          *body
	sources       CallSources
}

// errAfterEnd reports arguments for a call after its end.
var errAfterEnd = errors.New("argument data after the end of the call")

// appendArguments appends text to the arguments.
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

// setArguments replaces the arguments by the first non-empty value, if there is one.
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

// trackArguments finds out whether the arguments are one complete object.
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

// lacksArguments reports whether no arguments have arrived yet.
func (c *pendingCall) lacksArguments() bool { return len(c.args) == 0 || c.isEmptyObject }

// build returns the call. A truncated one is not executable.
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

// customCall returns the call of a custom tool. Its input, a text, becomes the one argument
// "input".
func customCall(id, name, input string) chat.Call {
	quoted, err := jsontext.AppendQuote([]byte(`{"input":`), input)
	if err != nil { // invalid UTF-8
		return chat.Call{ID: id, Name: name, Text: input, Status: chat.StatusInvalid}
	}
	return chat.Call{ID: id, Name: name, Arguments: append(quoted, '}'), Status: chat.StatusOK, Executable: true}
}

// newCall returns a call with the arguments of a server, which it retains.
func newCall(id, name string, args []byte) chat.Call {
	if object := bytes.TrimSpace(args); isObject(object) {
		return chat.Call{ID: id, Name: name, Arguments: object, Status: chat.StatusOK, Executable: true}
	}
	return chat.Call{ID: id, Name: name, Text: string(args), Status: chat.StatusInvalid}
}

// isObject reports whether a text is strictly a JSON object.
func isObject(text []byte) bool {
	return len(text) > 0 && text[0] == '{' && jsontext.Value(text).IsValid()
}

// argumentText returns the text of a string, "" for null, and the JSON of any other value.
func argumentText(args gjson.Result) string {
	if args.Type == gjson.String {
		return args.Str
	}
	if args.Type == gjson.Null {
		return ""
	}
	return args.Raw
}

// A callQueue emits calls in the order in which they began.
type callQueue struct {
	body          *body
	eager         bool // calls end with their arguments, without an end event
	calls         []*pendingCall
	sent          int // calls[:sent] were emitted
	withArguments int // calls[withArguments:] have no arguments yet
}

// add adds a call, with the arguments that arrived with its start.
func (q *callQueue) add(id, name, args gjson.Result) *pendingCall {
	q.body.exceedsCalls(len(q.calls))
	if q.body.exceedsKey(id, name) {
		id, name = gjson.Result{}, gjson.Result{}
	}
	c := &pendingCall{id: idText(id), name: strings.Clone(name.Str), index: len(q.calls), body: q.body}
	c.sources.ID, c.sources.Name = q.body.segmentsOf(0, id), q.body.nameSegments(0, name)
	q.calls = append(q.calls, c)
	q.body.reserveNative(nodeBytes + len(c.id) + len(c.name))
	_ = q.appendArguments(c, args) // a new call has not ended
	return c
}

// appendArguments appends text to the arguments of a call.
func (q *callQueue) appendArguments(c *pendingCall, v gjson.Result) error {
	err := c.appendArguments(v)
	if !c.lacksArguments() {
		q.withArguments = max(q.withArguments, c.index+1)
	}
	return err
}

// emitEnded emits the ended calls up to the first that has not ended.
func (q *callQueue) emitEnded(hand func(chat.Call, CallSources)) {
	for q.sent < len(q.calls) && q.isEnded(q.calls[q.sent]) {
		q.emitNext(hand, false)
	}
}

// isEnded reports whether a call has ended. A call without arguments ends when a later one has
// some: until then its own may arrive.
func (q *callQueue) isEnded(c *pendingCall) bool {
	return c.ended || q.eager && (c.isComplete || c.lacksArguments() && c.index+1 < q.withArguments)
}

// emitAll emits all calls. Those that have not ended are truncated, unless the stop is clean.
func (q *callQueue) emitAll(stop chat.Stop, hand func(chat.Call, CallSources)) {
	for q.sent < len(q.calls) {
		q.emitNext(hand, stop != chat.StopEnd && !q.isEnded(q.calls[q.sent]))
	}
}

// emitNext emits one call.
func (q *callQueue) emitNext(hand func(chat.Call, CallSources), cut bool) {
	c := q.calls[q.sent]
	c.ended = true
	q.sent++
	call := c.build(cut)
	if c.isCustom && call.Arguments != nil { // the arguments were built here and have no source
		c.sources.Arguments = nil
	}
	hand(call, c.sources)
}
