// Package chat defines the data types of a conversation: message, call, result, usage,
// request and response. It does no I/O.
package chat

import (
	"encoding/json"
	"net/url"
	"time"
)

// A Role is the role of a [Message].
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
	Calls   []Call `json:"calls,omitempty"`   // of an assistant: native calls, each with an ID
	CallID  string `json:"call_id,omitempty"` // of a tool: the ID of its native call
	Name    string `json:"name,omitempty"`    // of a tool: its name
	// Native is the assistant's message in the server's own format, for servers that
	// require it back unchanged. Content and Calls hold the same for all others.
	Native *Native `json:"native,omitempty"`
	By     string  `json:"by,omitempty"` // of an assistant: its model as PROVIDER/NAME; "" if unknown
	// Attachments are the images and documents of a user message.
	Attachments []Attachment `json:"attachments,omitempty"`
}

// A Native is an assistant's message in its server's own format: an object or an
// array, possibly with members that only the server understands.
type Native struct {
	API   string          `json:"api"`   // the protocol, such as "chat"
	Model string          `json:"model"` // its author, as PROVIDER/NAME: only this model gets it back
	Body  json.RawMessage `json:"body"`
}

// A Status is the outcome of reading a call.
type Status string

// The outcomes of reading a call. Only [StatusOK] and [StatusRepaired] calls
// can be executable; a truncated call never is.
const (
	StatusOK         Status = "ok"
	StatusRepaired   Status = "repaired"   // faults were repaired with certainty
	StatusAmbiguous  Status = "ambiguous"  // there are several readings
	StatusTruncated  Status = "truncated"  // the text ended inside the call
	StatusInvalid    Status = "invalid"    // the arguments cannot be read
	StatusSuppressed Status = "suppressed" // the call is in a place where calls do not count
)

// A Call is a tool call by a model, in any dialect.
type Call struct {
	ID   string `json:"id,omitempty"`
	Name string `json:"name"`
	// Arguments is a JSON object with numbers and key order as written. For a
	// positional call it is a JSON array of the arguments in order, until the
	// call is bound to a definition. If the arguments cannot be parsed it is nil,
	// and Text holds them.
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
	// Text is the call as written. For a native call it is the text of the
	// arguments if that is not a JSON object.
	Text string `json:"text,omitempty"`
}

// Usage holds the token counts of one response, or of several.
type Usage struct {
	InputTokens  int `json:"input_tokens"`
	OutputTokens int `json:"output_tokens"`
	// CachedInputTokens and CacheWriteTokens are the parts of the input that the server read from its cache and wrote to
	// it; ReasoningTokens is a part of the output.
	CachedInputTokens int `json:"cached_input_tokens,omitempty"`
	CacheWriteTokens  int `json:"cache_write_tokens,omitempty"`
	ReasoningTokens   int `json:"reasoning_tokens,omitempty"`
	// EstimatedTokens is the part of input and output that no server counted, as of a response that broke off.
	EstimatedTokens int `json:"estimated_tokens,omitempty"`
}

// Total returns the sum of input and output tokens.
func (u Usage) Total() int { return u.InputTokens + u.OutputTokens }

// Add returns the sum of two usages.
func (u Usage) Add(v Usage) Usage {
	return Usage{
		u.InputTokens + v.InputTokens, u.OutputTokens + v.OutputTokens,
		u.CachedInputTokens + v.CachedInputTokens, u.CacheWriteTokens + v.CacheWriteTokens, u.ReasoningTokens + v.ReasoningTokens,
		u.EstimatedTokens + v.EstimatedTokens,
	}
}

// A Stop is the reason why a response ended.
type Stop string

// The stop reasons. Only [StopEnd] is a normal stop.
const (
	StopEnd    Stop = "stop"
	StopLength Stop = "length" // truncated by a token limit
	StopOther  Stop = "other"  // any other reason
)

// A Purpose is the purpose of a request.
type Purpose string

// The purposes of requests.
const (
	PurposeTurn   Purpose = "turn"   // the model may call tools
	PurposeAnswer Purpose = "answer" // the model is asked for the final answer
)

// A Function is a tool as declared to a model with native calls.
type Function struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"` // JSON Schema of the arguments object
}

// A Request is a request to a model.
type Request struct {
	Purpose  Purpose
	System   string     // the system prompt
	Messages []Message  // the conversation, oldest first, without the system prompt
	Tools    []Function // for native calls; nil in a prompt dialect
	// Format, if set, is the JSON Schema that the server must enforce.
	Format json.RawMessage
	// AnyJSON makes the server enforce a JSON object, for servers that cannot enforce
	// a schema. Format is nil then.
	AnyJSON bool
	// Params are sampling and server options. "temperature", "top_p", "seed",
	// "max_tokens", "stop" and "effort" are portable; other names are specific to
	// the server, such as "num_ctx".
	Params map[string]json.RawMessage
	// MaxCalls limits the native calls of the reply; 0 for no limit. A client stops reading after the first call over
	// the limit. It is not sent to the server.
	MaxCalls int
	// Digest identifies the rest of the request; "" if it was not computed.
	Digest string
}

// A Delta is a piece of a streamed response, or reports a failed attempt, or that the
// request is retried now.
type Delta struct {
	Content   string
	Reasoning string
	Call      *Call // a complete native call
	Attempt   *Attempt
	IsRetry   bool // the request is sent once more when the delta has been handled
}

// An Attempt is an attempt at a request that failed before its first delta.
type Attempt struct {
	Number int           `json:"number"` // from 1
	Error  string        `json:"error"`
	Status int           `json:"status,omitempty"` // HTTP status, if there was one
	Wait   time.Duration `json:"wait_ns"`          // before the next attempt
	// Charged means that the server had begun to work on the request, so it may charge for it. Usage is its count, or an
	// estimate.
	Charged bool   `json:"charged,omitempty"`
	Usage   Usage  `json:"usage,omitzero"`
	By      string `json:"by,omitempty"`      // the model as PROVIDER/NAME, if its client knows
	Last    bool   `json:"last,omitempty"`    // the request failed with it, so no attempt follows
	Skipped bool   `json:"skipped,omitempty"` // nothing was sent, because the model had failed in another run
}

// A Response is a model's response.
type Response struct {
	Content   string
	Reasoning string
	Calls     []Call  // native calls; nil in a prompt dialect
	Native    *Native // for servers that require it back; nil if Content is enough
	Stop      Stop
	Usage     Usage
	Model     string // the server's name for the model
	By        string // the model as PROVIDER/NAME, if its client knows
	Unsent    bool   // there was no connection, so the server cannot have got the request
}

// An Execution is a permitted call with its limits.
type Execution struct {
	Call           Call
	RunID          string    // "" outside of a run
	Conversation   []Message // so far, without secrets, for a tool that reads it
	IdempotencyKey string    // idempotency key; "" if the tool takes none
	Repeated       bool      // repeated after a crash that left its outcome unknown
	Deadline       time.Time // of this call; zero for none
	MaxBytes       int64     // result limit in addition to the tool's own; 0 for none
	// Follow returns an error for a redirect that the call may not follow; nil allows
	// all redirects.
	Follow func(*url.URL) error
	// ResolvedPaths maps each path of the call to its target, with links resolved, at the time of
	// approval: only that target may be accessed. Other paths may lead anywhere below
	// the root.
	ResolvedPaths map[string]string
}
