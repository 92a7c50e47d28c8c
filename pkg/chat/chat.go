// Package chat holds the nouns of a conversation: message, call, result, usage,
// request and response. It is data without behaviour; nothing here does I/O.
package chat

import (
	"encoding/json"
	"net/url"
	"time"
)

// A Role says who speaks in a [Message].
type Role string

// The roles of a conversation.
const (
	System    Role = "system"
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool"
)

// A Message is one entry of a conversation.
type Message struct {
	Role    Role   `json:"role"`
	Content string `json:"content"`
	Calls   []Call `json:"calls,omitempty"`   // of the assistant: native calls, each with an ID
	CallID  string `json:"call_id,omitempty"` // of a tool: the native call that it answers
	Name    string `json:"name,omitempty"`    // of a tool: its name
	// Native is what the assistant said in the form of its server, which may
	// want it back unchanged. Content and Calls say the same to everyone else.
	Native *Native `json:"native,omitempty"`
	By     string  `json:"by,omitempty"` // who said it, of an assistant, as PROVIDER/NAME; "" if that is not known
}

// A Native is an assistant's message in the form of the server that sent it:
// an object or an array, with members that nobody but the server understands.
type Native struct {
	API   string          `json:"api"`   // the protocol, such as "chat"
	Model string          `json:"model"` // who said it, as PROVIDER/NAME: only that model gets it back
	Body  json.RawMessage `json:"body"`
}

// A Status says how well a call could be read.
type Status string

// The outcomes of reading a call. Only [StatusOK] and [StatusRepaired] calls
// can be executable; a call that was cut off never is.
const (
	StatusOK         Status = "ok"
	StatusRepaired   Status = "repaired"   // faults were mended with certainty
	StatusAmbiguous  Status = "ambiguous"  // there are two readings
	StatusTruncated  Status = "truncated"  // the text ended inside the call
	StatusInvalid    Status = "invalid"    // the arguments cannot be read
	StatusSuppressed Status = "suppressed" // a call in a place where calls do not count
)

// A Call is what a model asks for, in whatever dialect it was written.
type Call struct {
	ID   string `json:"id,omitempty"`
	Name string `json:"name"`
	// Arguments is a JSON object with numbers and key order as written. For a
	// positional call it is a JSON array of the arguments in order, until the
	// call is bound to a definition. Where the argument text cannot be read it
	// is nil and the text is in Text.
	Arguments    json.RawMessage `json:"arguments,omitempty"`
	Positional   bool            `json:"-"`
	Priority     float64         `json:"priority"`
	Status       Status          `json:"status"`
	Executable   bool            `json:"executable"`
	ValueChanged bool            `json:"value_changed"` // a repair may have changed a value
	Start        int             `json:"-"`             // the call's bytes in the response: [Start, End)
	End          int             `json:"-"`
	// Alternatives are all readings of an ambiguous call, this one first.
	Alternatives []Call `json:"alternatives,omitempty"`
	// Text is the call as written. Of a native call it is what stood for the
	// arguments, where that is no JSON object.
	Text string `json:"text,omitempty"`
}

// Usage counts the tokens of one response, as the server reports them.
type Usage struct {
	InputTokens  int `json:"input_tokens"`
	OutputTokens int `json:"output_tokens"`
}

// Total returns all tokens of a response.
func (u Usage) Total() int { return u.InputTokens + u.OutputTokens }

// Add returns the sum of two usages.
func (u Usage) Add(v Usage) Usage {
	return Usage{u.InputTokens + v.InputTokens, u.OutputTokens + v.OutputTokens}
}

// A Stop says why a response ended.
type Stop string

// The ways a response ends. Only [StopEnd] is a clean stop.
const (
	StopEnd    Stop = "stop"
	StopLength Stop = "length" // cut by a token limit
	StopOther  Stop = "other"  // anything else the server names
)

// A Purpose says what a request is for.
type Purpose string

// The purposes of requests.
const (
	PurposeTurn   Purpose = "turn"   // the model may call tools
	PurposeAnswer Purpose = "answer" // the model is asked for the final answer
)

// A Function is a tool as it is published to a model that calls natively.
type Function struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"` // JSON Schema of the arguments object
}

// A Request is everything a model is sent.
type Request struct {
	Purpose  Purpose
	System   string     // the system prompt
	Messages []Message  // the conversation, oldest first, without the system prompt
	Tools    []Function // for native calls; nil in a prompt dialect
	// Format, if set, is the JSON Schema that the server is asked to enforce.
	Format json.RawMessage
	// AnyJSON asks the server to enforce that the response is a JSON object,
	// where it cannot enforce a schema. Format is nil then.
	AnyJSON bool
	// Params are sampling and server options. "temperature", "top_p", "seed",
	// "max_tokens", "stop" and "effort" mean the same for every server; other
	// names are the server's own, such as "num_ctx".
	Params map[string]json.RawMessage
	// MostCalls is how many native calls the reply may have; 0 for any number. The one after these is the last that
	// a client reads. It is not sent.
	MostCalls int
	// Digest identifies the rest of the request; "" if its maker did not compute it: see package model.
	Digest string
}

// A Delta is a piece of a response while it is being written, or word of an
// attempt that failed and is about to be repeated.
type Delta struct {
	Content   string
	Reasoning string
	Call      *Call // a native call whose last byte has arrived
	Attempt   *Attempt
}

// An Attempt is one try at a request that failed before its first delta.
type Attempt struct {
	Number int           `json:"number"` // from 1
	Error  string        `json:"error"`
	Status int           `json:"status,omitempty"` // HTTP status, if there was one
	Wait   time.Duration `json:"wait_ns"`          // before the next try
}

// A Response is what a model said.
type Response struct {
	Content   string
	Reasoning string
	Calls     []Call  // native calls; nil in a prompt dialect
	Native    *Native // what the server may want back; nil where Content says it all
	Stop      Stop
	Usage     Usage
	Model     string // as the server names it
	By        string // who said it, as PROVIDER/NAME, if its client knows
}

// An Execution is one permitted call on its way to a tool.
type Execution struct {
	Call     Call
	Key      string    // which makes the call the same one when it is made again; "" where nobody asks for it
	Again    bool      // it is made again, after a crash that left open whether it took effect
	Deadline time.Time // of this call; zero for none
	MaxBytes int64     // of its result, besides the tool's own limit; 0 for none
	// Follow says why the call may not go on to an address that a server redirects to; nil
	// lets it go anywhere.
	Follow func(*url.URL) error
	// Leads says where each path of the call led, links followed, when it was let happen: what
	// is read is that. A path that is not in it leads anywhere below the root.
	Leads map[string]string
}
