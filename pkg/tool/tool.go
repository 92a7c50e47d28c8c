// Package tool says what the tools are that a model may call: definitions from
// YAML files, signatures and the JSON Schemas that they stand for, a registry,
// and the check of a call against its definition.
//
// It executes nothing and decides nothing: whether a call may happen is the
// business of package policy, and what happens then that of package executor.
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

// An Effect says what a tool does to the world.
type Effect string

// The effects, the least first.
const (
	Read  Effect = "read"
	Write Effect = "write"
	Exec  Effect = "exec"
)

// A Label says what is to be thought of the data that goes through a tool.
type Label string

// The decodeLabels.
const (
	Untrusted Label = "untrusted" // its results can be written by anybody, such as pages
	Private   Label = "private"   // its results are not for everybody, such as files and mail
	Sink      Label = "sink"      // its arguments reach others, also where it only reads, as the address of a page does
)

// Labels lists the labels.
var Labels = []Label{Untrusted, Private, Sink}

// A Definition is what a tool is. It must not be changed once it is in use; it
// may then be used by several goroutines.
type Definition struct {
	Name        string
	Description string
	Signature   Signature // with the descriptions of the parameters
	// Schema is the JSON Schema of the arguments object, with the parameters in
	// the order of the signature and no other keys allowed.
	Schema json.RawMessage
	// Identifiers are where values stand that name something, and may not be made up.
	Identifiers []ValuePath
	Ask         map[string]string // questions for a person, by the parameter that only they can fill

	Returns  string // the type of the result, "" if it is not said
	Examples []Example
	// PromptExamples is how many of the examples a prompt shows; nil if it is not said: see [Definition.MaxPromptExamples].
	PromptExamples *int

	Effect     Effect
	Idempotent bool     // a call may be made again, with the same effect as once
	KeyEnv     string   // the variable in which its program gets a key of the call, which makes it the same call when it is made again
	KeyHeader  string   // the header in which a server gets it
	Scopes     []string // what a run must have been granted, all of it
	AnyScopes  []string // of these one at least
	Connection string   // what the run must have been given to work through, "" for nothing
	Renew      string   // how an authorisation that has expired is renewed, for people
	Labels     []Label
	Timeout    time.Duration // of one call; 0 if it is not said
	Rate       Rate
	MaxBytes   int64 // of one result; 0 if it is not said
	ModelBytes int64 // of one result that a model is sent, head and tail; 0 if it is not said
	Tags       []string
	Builtin    string   // the tool written in Go that does it
	Exec       *Program // or the program that does it
	HTTP       *Request // or the request

	File string // where it is defined, for people
	Line int    // from 1

	nameSpan        diag.Span // of the name
	formatsAdvisory bool      // it was not written for oneshot: its formats are annotations
	compileOnce     sync.Once
	compiled        *schema.Schema
	schemaFindings  []diag.Finding // of Schema
}

// A Backend is by what a tool is done.
type Backend string

// The means.
const (
	BackendBuiltin Backend = "builtin" // a function of this program
	BackendExec Backend = "exec"    // another program
	BackendHTTP Backend = "http"    // a server
)

// Backends lists the means.
var Backends = []Backend{BackendBuiltin, BackendExec, BackendHTTP}

// MaxPromptExamples returns how many of the examples a prompt shows at most. Where nothing is said it is one if calls are written
// as text, and none if they are native.
func (d *Definition) MaxPromptExamples(native bool) int {
	switch {
	case d.PromptExamples != nil:
		return *d.PromptExamples
	case native:
		return 0
	}
	return 1
}

// Backend returns by what the tool is done.
func (d *Definition) Backend() Backend {
	switch {
	case d.Exec != nil:
		return BackendExec
	case d.HTTP != nil:
		return BackendHTTP
	}
	return BackendBuiltin
}

// HasKey reports whether whoever does it gets a key of each call.
func (d *Definition) HasKey() bool { return d.KeyEnv != "" || d.KeyHeader != "" }

// CanRepeat reports whether a call of which nobody knows whether it took effect may be made again,
// with the key that it had.
func (d *Definition) CanRepeat() bool { return d.Effect == Read || d.Idempotent || d.HasKey() }

// ParameterNames returns the names of the parameters, in the order of the signature.
func (d *Definition) ParameterNames() []string {
	names := make([]string, len(d.Signature.Params))
	for i, p := range d.Signature.Params {
		names[i] = p.Name
	}
	return names
}

// WritesChat reports whether the tool says something to the user, as its tag "chat"
// tells: calls of such tools make sense only one after the other, as written.
func (d *Definition) WritesChat() bool { return slices.Contains(d.Tags, "chat") }

// An Example is a call that fits the definition.
type Example struct {
	Call   string // as it is written
	Note   string
	Parsed chat.Call // the same, bound: its arguments are an object
}

// A Rate is a number of calls in a period. The zero value is no limit.
type Rate struct {
	Calls int
	Per   time.Duration // a second, a minute or an hour
}

// String returns the rate as it stands in a definition, such as "5/s".
func (r Rate) String() string {
	unit := map[time.Duration]string{time.Second: "s", time.Minute: "m", time.Hour: "h"}[r.Per]
	if r.Calls == 0 || unit == "" {
		return ""
	}
	return fmt.Sprintf("%d/%s", r.Calls, unit)
}

// argumentsSchema returns the compiled schema, nil if it is wrong. Compiling takes
// long for what it is, and most definitions of a run are never called.
func (d *Definition) argumentsSchema() (*schema.Schema, []diag.Finding) {
	d.compileOnce.Do(func() { d.compiled, d.schemaFindings = schema.Compile(d.File, d.Schema) })
	return d.compiled, d.schemaFindings
}

// The tools with which a model ends its work, one for each way of writing calls.
// Both are known to every registry and have no implementation: the loop answers
// them.
var (
	FinalResponse = newEnding("finalResponse")
	EndTurn       = newEnding("end_turn")
)

// EndingTools lists the tools that end the work.
var EndingTools = []*Definition{FinalResponse, EndTurn}

// EndingTool returns the tool of that name that ends the work, or nil.
func EndingTool(name string) *Definition {
	for _, d := range EndingTools {
		if d.Name == name {
			return d
		}
	}
	return nil
}

func newEnding(name string) *Definition {
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
