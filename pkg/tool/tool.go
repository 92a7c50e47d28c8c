// Package tool describes the tools that a model may call: definitions from
// YAML files, signatures and their JSON Schemas, a registry,
// and the check of a call against its definition.
//
// It executes nothing and decides nothing: package policy decides whether a
// call may run, and package executor runs it.
package tool

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/schema"
)

// An Effect classifies the changes that a tool makes.
type Effect string

// The effects, from the weakest.
const (
	Read  Effect = "read"
	Write Effect = "write"
	Exec  Effect = "exec"
)

// A Label classifies the data that passes through a tool.
type Label string

// The labels.
const (
	Untrusted Label = "untrusted" // third parties can write its results, such as web pages
	Private   Label = "private"   // its results are confidential, such as files and mail
	Sink      Label = "sink"      // its arguments reach third parties, even if it only reads: a URL does
)

var Labels = []Label{Untrusted, Private, Sink}

// A Definition describes a tool. It must not be changed after first use and is then safe for concurrent use.
type Definition struct {
	Name        string
	Description string
	Signature   Signature // with the descriptions of the parameters
	// Schema is the JSON Schema of the arguments object, with the parameters in
	// the order of the signature and no other keys allowed.
	Schema json.RawMessage
	// Identifiers are the paths of values that must not be invented, such as ids.
	Identifiers []ValuePath
	Ask         map[string]string // questions to the user, by the parameter that only the user can supply

	Returns  string // the type of the result, "" if unknown
	Examples []Example
	// PromptExamples is how many examples a prompt shows; nil for the default, see [Definition.MaxPromptExamples].
	PromptExamples *int

	Effect     Effect
	Idempotent bool     // repeating a call has no further effect
	KeyEnv     string   // the variable in which the program gets the idempotency key
	KeyHeader  string   // the header in which the server gets it
	Scopes     []string // scopes the run needs, all of them
	AnyScopes  []string // scopes of which the run needs at least one
	Connection string   // the connection the run needs, "" for none
	Renew      string   // instructions to renew an expired authorisation
	Labels     []Label
	Cache      time.Duration // how long a successful result of a read may be used again; 0 for never
	Limits
	Tags    []string
	Builtin string   // the name of the built-in tool
	Exec    *Program // or the program
	HTTP    *Request // or the request

	File string // for messages
	Line int    // from 1

	nameSpan        diag.Span // of the name
	formatsAdvisory bool      // the schema was not written for oneshot: formats are annotations
	compiled        compiledSchema
}

// Limits limit the calls of a tool.
type Limits struct {
	Timeout    time.Duration // of one call; 0 for the default
	Rate       Rate
	MaxBytes   int64 // of one result; 0 for the default
	ModelBytes int64 // of a result that the model is sent, head and tail; 0 for the default
}

// A compiledSchema is the compiled Schema of a definition.
type compiledSchema struct {
	once     sync.Once
	schema   *schema.Schema // nil if it is invalid
	findings []diag.Finding
}

// A Backend is the kind of implementation that executes a tool.
type Backend string

// The backends.
const (
	BackendBuiltin Backend = "builtin" // a Go function of oneshot
	BackendExec    Backend = "exec"    // an external program
	BackendHTTP    Backend = "http"    // an HTTP server
)

var Backends = []Backend{BackendBuiltin, BackendExec, BackendHTTP}

// MaxPromptExamples returns how many examples a prompt shows at most. The default is one if calls are written as text,
// and none if they are native.
func (d *Definition) MaxPromptExamples(native bool) int {
	switch {
	case d.PromptExamples != nil:
		return *d.PromptExamples
	case native:
		return 0
	}
	return 1
}

func (d *Definition) Backend() Backend {
	switch {
	case d.Exec != nil:
		return BackendExec
	case d.HTTP != nil:
		return BackendHTTP
	}
	return BackendBuiltin
}

// HasKey reports whether the backend gets an idempotency key with each call.
func (d *Definition) HasKey() bool { return d.KeyEnv != "" || d.KeyHeader != "" }

// CanRepeat reports whether a call with an unknown outcome can be repeated, with the same key.
func (d *Definition) CanRepeat() bool { return d.Effect == Read || d.Idempotent || d.HasKey() }

// ParameterNames returns the names of the parameters in the order of the signature.
func (d *Definition) ParameterNames() []string {
	names := make([]string, len(d.Signature.Params))
	for i, p := range d.Signature.Params {
		names[i] = p.Name
	}
	return names
}

// WritesChat reports whether the tool has the tag "chat": it shows text to the user, so its calls must run one after
// the other, as written.
func (d *Definition) WritesChat() bool { return slices.Contains(d.Tags, "chat") }

// An Example is a call that fits the definition.
type Example struct {
	Call   string // source text
	Note   string
	Parsed chat.Call // parsed and bound: the arguments are an object
}

// A Rate is a number of calls per period. The zero value is no limit.
type Rate struct {
	Calls int
	Per   time.Duration // a second, a minute or an hour
}

// String returns the rate as in a definition, such as "5/s".
func (r Rate) String() string {
	unit := map[time.Duration]string{time.Second: "s", time.Minute: "m", time.Hour: "h"}[r.Per]
	if r.Calls == 0 || unit == "" {
		return ""
	}
	return fmt.Sprintf("%d/%s", r.Calls, unit)
}

// argumentsSchema returns the compiled schema, nil if it is invalid. It compiles on first use, because compiling is
// slow and most definitions of a run are never called.
func (d *Definition) argumentsSchema() (*schema.Schema, []diag.Finding) {
	c := &d.compiled
	c.once.Do(func() { c.schema, c.findings = schema.Compile(d.File, d.Schema) })
	return c.schema, c.findings
}

// Shape returns the shape of the arguments object, nil if the schema is invalid.
func (d *Definition) Shape() *schema.Shape {
	s, _ := d.argumentsSchema()
	return s.Shape()
}

// The tools with which a model ends its work, one for each call syntax.
// Every registry contains both. They have no backend: the agent loop answers
// them.
var (
	FinalResponse = newEndingTool("finalResponse")
	EndTurn       = newEndingTool("end_turn")
)

// EndingTools lists the tools that end the work.
var EndingTools = []*Definition{FinalResponse, EndTurn}

// LookupEndingTool returns the ending tool of a name, or nil.
func LookupEndingTool(name string) *Definition {
	for _, d := range EndingTools {
		if d.Name == name {
			return d
		}
	}
	return nil
}

func newEndingTool(name string) *Definition {
	return &Definition{
		Name:        name,
		Description: "Call when the work is done; you are then told the format of the answer and asked for it.",
		Signature:   Signature{Name: name, Returns: &Type{Kind: Object}},
		Schema:      Signature{}.Schema(),
		Returns:     "object",
		Examples: []Example{{
			Call:   name + "()",
			Parsed: chat.Call{Name: name, Arguments: json.RawMessage("{}"), Status: chat.StatusOK, Executable: true},
		}},
		Effect: Read,
	}
}
