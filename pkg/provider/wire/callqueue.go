package wire

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/gjson"

	"oneshot/pkg/chat"
)

// A PendingCall is a call that arrives in pieces.
type PendingCall struct {
	ID, Name string
	Args     []byte // as written, from the first byte that is not whitespace
	Ended    bool   // no more arguments can follow
	Unparsed bool   // Args are kept as text, never as arguments
	Custom   bool   // Args are the input text of a custom tool
	Sources  CallSources

	index         int           // position among the calls
	scanner       objectScanner // finds the end of Args
	notObject     bool          // Args are not one object
	isEmptyObject bool          // Args are {}, which some servers send before the real ones
	isComplete    bool          // Args are another complete object
	response      *Response
}

// ErrAfterEnd reports arguments for a call after its end.
var ErrAfterEnd = errors.New("argument data after the end of the call")

// appendArguments appends text to the arguments.
func (c *PendingCall) appendArguments(v gjson.Result) error {
	all := ArgumentText(v)
	text := all
	if !c.Custom && (len(c.Args) == 0 || c.isEmptyObject || c.isComplete || c.Ended) {
		text = strings.TrimLeft(text, blanks)
	}
	switch {
	case text == "":
		return nil
	case c.response.ExceedsArguments(len(c.Args) + len(text)):
		return nil
	case c.isComplete || c.Ended:
		return ErrAfterEnd
	case c.isEmptyObject:
		c.Args, c.isEmptyObject, c.Sources.Arguments = c.Args[:0], false, nil
	}
	c.Sources.Arguments = append(c.Sources.Arguments, c.response.SegmentsOf(len(c.Args)+len(text)-len(all), v)...)
	c.Args = append(c.Args, text...)
	c.response.ReserveNative(len(text))
	if !c.notObject && !c.Custom {
		c.trackArguments(c.Args[len(c.Args)-len(text):])
	}
	return nil
}

// SetArguments replaces the arguments by the first non-empty value, if there is one.
func (c *PendingCall) SetArguments(values ...gjson.Result) {
	for _, v := range values {
		if text := ArgumentText(v); text != "" {
			if !c.response.ExceedsArguments(len(text)) {
				c.Args, c.Sources.Arguments = []byte(text), c.response.SegmentsOf(0, v)
			}
			return
		}
	}
}

// SetID sets the ID of a call that began without one.
func (c *PendingCall) SetID(v gjson.Result) {
	if id := StringOrNumber(v); c.ID == "" && id != "" {
		c.ID, c.Sources.ID = id, c.response.SegmentsOf(0, v)
	}
}

// AppendName appends to the name.
func (c *PendingCall) AppendName(v gjson.Result) {
	c.Sources.Name = append(c.Sources.Name, c.response.ToolNameSegments(len(c.Name), v)...)
	c.Name = strings.Clone(c.Name + v.Str)
}

// trackArguments finds out whether the arguments are one complete object.
func (c *PendingCall) trackArguments(text []byte) {
	n, end, err := c.scanner.scan(text)
	switch {
	case err != nil, end && !isBlank(text[n:]), end && !jsontext.Value(c.Args).IsValid():
		c.notObject = true
	case end:
		c.isEmptyObject = string(bytes.TrimSpace(c.Args)) == "{}"
		c.isComplete = !c.isEmptyObject
	}
}

// HasNoArguments reports whether no arguments have arrived yet.
func (c *PendingCall) HasNoArguments() bool { return len(c.Args) == 0 || c.isEmptyObject }

// IsComplete reports whether the arguments are one complete object with members.
func (c *PendingCall) IsComplete() bool { return c.isComplete }

// IsOpen reports whether the arguments have begun and are not one complete object.
func (c *PendingCall) IsOpen() bool { return c.scanner.isOpen() || c.notObject }

// buildCall returns the call. A truncated one is not executable.
func (c *PendingCall) buildCall(cut bool) chat.Call {
	switch {
	case cut:
		return chat.Call{ID: c.ID, Name: c.Name, Text: string(c.Args), Status: chat.StatusTruncated}
	case c.Custom:
		return customCall(c.ID, c.Name, string(c.Args))
	case c.Unparsed:
		return chat.Call{ID: c.ID, Name: c.Name, Text: string(c.Args), Status: chat.StatusInvalid}
	}
	return CallOf(c.ID, c.Name, c.Args)
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

// CallOf returns a call with the arguments of a server, which it retains.
func CallOf(id, name string, args []byte) chat.Call {
	if object := bytes.TrimSpace(args); IsObject(object) {
		return chat.Call{ID: id, Name: name, Arguments: object, Status: chat.StatusOK, Executable: true}
	}
	return chat.Call{ID: id, Name: name, Text: string(args), Status: chat.StatusInvalid}
}

// IsObject reports whether a text is strictly a JSON object.
func IsObject(text []byte) bool {
	return len(text) > 0 && text[0] == '{' && jsontext.Value(text).IsValid()
}

// ArgumentText returns the text of a string, "" for null, and the JSON of any other value.
func ArgumentText(args gjson.Result) string {
	if args.Type == gjson.String {
		return args.Str
	}
	if args.Type == gjson.Null {
		return ""
	}
	return args.Raw
}

// A callQueue has the calls of a response in the order in which they began.
type callQueue struct {
	all           []*PendingCall
	sent          int // all[:sent] were emitted
	withArguments int // all[withArguments:] have no arguments yet
	held          *PendingCall
}

// BeginCall begins a call, with the arguments that arrived with its start. Calls are emitted in
// the order in which they begin.
func (r *Response) BeginCall(id, name, args gjson.Result) *PendingCall {
	r.exceedsCalls(len(r.calls.all))
	if r.ExceedsKeyLen(id, name) {
		id, name = gjson.Result{}, gjson.Result{}
	}
	c := r.NewCall()
	c.ID, c.Sources.ID = StringOrNumber(id), r.SegmentsOf(0, id)
	c.Name, c.Sources.Name = strings.Clone(name.Str), r.ToolNameSegments(0, name)
	r.addPendingCall(c)
	r.ReserveEntry(len(c.ID) + len(c.Name))
	_ = r.AppendArguments(c, args) // a new call has not ended
	return c
}

// NewCall returns a call that is not in the response, for [Response.HoldPossibleDuplicate].
func (r *Response) NewCall() *PendingCall { return &PendingCall{response: r} }

// addPendingCall adds a call to those that have begun.
func (r *Response) addPendingCall(c *PendingCall) {
	c.index = len(r.calls.all)
	r.calls.all = append(r.calls.all, c)
}

// HoldPossibleDuplicate adds a call that may repeat another one. It comes after all others, and only if it repeats none of them.
func (r *Response) HoldPossibleDuplicate(c *PendingCall) { r.calls.held = c }

// PendingCalls returns the calls that were not emitted yet.
func (r *Response) PendingCalls() []*PendingCall { return r.calls.all[r.calls.sent:] }

// CallCount returns the number of calls that have begun.
func (r *Response) CallCount() int { return len(r.calls.all) }

// AppendArguments appends text to the arguments of a call.
func (r *Response) AppendArguments(c *PendingCall, v gjson.Result) error {
	err := c.appendArguments(v)
	if !c.HasNoArguments() {
		r.calls.withArguments = max(r.calls.withArguments, c.index+1)
	}
	return err
}

// EndCall ends a call; c may be nil.
func (r *Response) EndCall(c *PendingCall) {
	if c != nil {
		c.Ended = true
		r.EmitEndedCalls()
	}
}

// EmitEndedCalls emits the ended calls up to the first that has not ended.
func (r *Response) EmitEndedCalls() {
	for q := &r.calls; q.sent < len(q.all) && r.isEnded(q.all[q.sent]); {
		r.emitNextCall(false)
	}
}

// isEnded reports whether a call has ended. A call without arguments ends when a later one has
// some: until then its own may arrive.
func (r *Response) isEnded(c *PendingCall) bool {
	return c.Ended || r.EagerCalls && (c.isComplete || c.HasNoArguments() && c.index+1 < r.calls.withArguments)
}

// EmitAllCalls emits all calls. Those that have not ended are truncated, unless the stop is clean.
func (r *Response) EmitAllCalls(stop chat.Stop) {
	for q := &r.calls; q.sent < len(q.all); {
		r.emitNextCall(stop != chat.StopEnd && !r.isEnded(q.all[q.sent]))
	}
	r.emitHeldCall(stop)
}

// emitHeldCall emits the call that was held back, unless it repeats another one. Beside others it waits for its
// arguments or the end of the response, because a part of them would fit any call.
func (r *Response) emitHeldCall(stop chat.Stop) {
	c := r.calls.held
	if c == nil || len(r.calls.all) > 0 && !c.isComplete && !r.done {
		return
	}
	r.calls.held = nil
	if !r.isRepeated(c) {
		r.addPendingCall(c)
		r.emitNextCall(stop != chat.StopEnd && !r.isEnded(c))
	}
}

// isRepeated reports whether another call has the name and the arguments of a call, as far as it has any.
func (r *Response) isRepeated(c *PendingCall) bool {
	args := compactJSON(c.Args)
	return slices.ContainsFunc(r.calls.all, func(o *PendingCall) bool {
		return (c.Name == "" || c.Name == o.Name) && (c.HasNoArguments() || bytes.HasPrefix(compactJSON(o.Args), args))
	})
}

// compactJSON returns JSON without whitespace, and other text as it is.
func compactJSON(text []byte) []byte {
	v := jsontext.Value(bytes.Clone(text))
	if v.Compact() != nil {
		return text
	}
	return v
}

// emitNextCall emits one call.
func (r *Response) emitNextCall(cut bool) {
	c := r.calls.all[r.calls.sent]
	c.Ended = true
	r.calls.sent++
	call := c.buildCall(cut)
	if c.Custom && call.Arguments != nil { // the arguments were built here and have no source
		c.Sources.Arguments = nil
	}
	r.AddCall(call, c.Sources)
}
