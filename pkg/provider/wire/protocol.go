package wire

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"oneshot/pkg/chat"
)

// A Protocol is the API of a kind of model server. The members about requests are set if there is
// a client.
type Protocol struct {
	Name  string // of the response format, such as "native_anthropic"
	Title string
	API   string // the name for users and records, such as "messages"; "" without a client

	// NewReader returns a reader for a response.
	NewReader func(*Response) Reader
	// Stops are the stop reasons of this protocol alone, in lower case.
	Stops map[string]StopReason

	Members  []string                  // top-level members of messages that Matches looks at
	Matches  func(m Members) bool      // reports whether an object is, or looks like, a message
	IsError  func(v gjson.Result) bool // reports whether an object is an error body that only these servers send; may be nil
	HasStyle func(v gjson.Result) bool // reports whether an error body has the style of these servers; may be nil

	HasCallIDs     bool // each call has an id
	StopNamesCalls bool // the stop reason depends on whether the response has calls
	StopOptional   bool // the stop reason may be missing

	Path      string      // endpoint of requests below the base URL
	Versioned bool        // the base URL usually ends in the version "/v1"
	Accept    string      // content type of streams
	Header    http.Header // sent with every request

	// CompleteURL completes a base URL from the user; nil if nothing is missing.
	CompleteURL func(*url.URL) *url.URL
	// KeyHeader is the header for a key; "" is Authorization, with the scheme Bearer.
	KeyHeader string

	EncodeRequest func(*Encoding) error
	// Params maps common parameters to the API's names: "a.b" is member b of member a, "" means
	// unsupported.
	Params       map[string]string
	ParamsObject string    // the member that has all other parameters; "" for the body itself
	Defaults     []Default // set unless a parameter has done so

	Attachments      []string // media types of the attachments that messages can have
	NoAnyJSON        bool     // the API has no JSON mode without a schema
	AnyToolName      bool     // tools may have any name
	DropsConstraints bool     // the server drops constraints from the schemas of tools

	// RepairState makes a native message consistent with its calls. It returns false if that is
	// not possible.
	RepairState func(body []byte, calls []chat.Call) (out []byte, ok bool)

	ModelEndpoints

	// Successor is the API that a server may require instead; "" for none.
	Successor string
}

// ModelEndpoints are the endpoints that describe the models of a server.
type ModelEndpoints struct {
	ListPath    string // of the model list
	ParseModels func(body []byte) ([]ModelInfo, error)
	ShowPath    string // of the description of one model; "" if there is none
	ParseModel  func(body []byte) (Capabilities, error)
}

// A Default is a member of requests.
type Default struct{ Name, JSON string }

// A ModelInfo is one model that a server has.
type ModelInfo struct {
	Name      string
	SizeBytes int64 // 0 if unknown
}

// Capabilities are the capabilities of a model according to its server.
type Capabilities struct {
	Known         bool // the server reports capabilities; otherwise the rest is zero
	ContextLength int  // trained context length in tokens; 0 if unknown
	NumCtx        int  // context length in tokens in its own settings (the Modelfile); 0 if not set
	Completion    bool // supports chat
	Tools         bool // supports native tool calls
	Vision        bool // reads images
	Thinking      bool // returns reasoning separately from text
}

// ParseModelIDs parses a list of models as most APIs have it.
func ParseModelIDs(body []byte) (out []ModelInfo, err error) {
	var list struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	err = json.Unmarshal(body, &list)
	for _, m := range list.Data {
		out = append(out, ModelInfo{Name: m.ID})
	}
	return out, err
}

// A StopReason is the meaning of a server's stop reason.
type StopReason struct {
	Stop  chat.Stop
	Calls bool // the response has calls
}

// commonStops are the stop reasons of several protocols, or of servers that imitate others.
var commonStops = map[string]StopReason{
	"stop": {chat.StopEnd, false}, "tool_calls": {chat.StopEnd, true}, "function_call": {chat.StopEnd, true}, // OpenAI, Gemini
	"completed": {chat.StopEnd, false},                                                                           // OpenAI's responses
	"end_turn":  {chat.StopEnd, false}, "tool_use": {chat.StopEnd, true}, "stop_sequence": {chat.StopEnd, false}, // Anthropic, Bedrock
	"eos": {chat.StopEnd, false}, "eos_token": {chat.StopEnd, false}, // Together, TGI

	"length": {chat.StopLength, false}, "model_length": {chat.StopLength, false}, // OpenAI, Mistral
	"max_tokens": {chat.StopLength, false}, "max_output_tokens": {chat.StopLength, false},
	"model_context_window_exceeded": {chat.StopLength, false}, // Anthropic, Bedrock
}

// StopReason returns the meaning of a stop reason in any case.
func (p *Protocol) StopReason(reason string) StopReason {
	reason = strings.ToLower(reason)
	for _, known := range []map[string]StopReason{p.Stops, commonStops} {
		if r, ok := known[reason]; ok {
			return r
		}
	}
	return StopReason{Stop: chat.StopOther}
}

// Members are the members of an object that identify protocols.
type Members []member

type member struct {
	name  string
	value gjson.Result
}

// SelectMembers returns the members of an object with some of the names.
func SelectMembers(object gjson.Result, names []string) Members {
	m := make(Members, 0, 4)
	object.ForEach(func(key, value gjson.Result) bool {
		if i := slices.Index(names, key.Str); i >= 0 {
			m = append(m, member{names[i], value})
		}
		return len(m) < len(names)
	})
	return m
}

// Get returns the first member with a name.
func (m Members) Get(name string) gjson.Result {
	for i := range m {
		if m[i].name == name {
			return m[i].value
		}
	}
	return gjson.Result{}
}
