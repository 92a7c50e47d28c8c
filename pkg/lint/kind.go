package lint

import (
	"slices"

	"github.com/tidwall/gjson"

	"oneshot/pkg/schema"
)

// A Kind is a kind of file that can be checked: one of [Kinds], or the name of a
// published schema, "envelope.v1".
type Kind string

// The kinds of files.
const (
	Definition   Kind = "definition"
	RunFile      Kind = "runfile"
	Schema       Kind = "schema"
	Answer       Kind = "answer"
	Agent        Kind = "agent"
	Policy       Kind = "policy"
	Message      Kind = "message"
	Events       Kind = "events"
	BaselineFile Kind = "baseline"
)

// Unknown is the kind of a file that cannot be told. It is none that could be named.
const Unknown Kind = "unknown"

// Kinds lists the kinds of files besides the names of published schemas.
var Kinds = []Kind{Definition, RunFile, Schema, Answer, Agent, Policy, Message, Events, BaselineFile}

// A form is what is known about the files of a kind.
type form struct {
	kind   Kind
	title  string   // for people
	noun   string   // what is counted in such a file; "" when it is one thing
	schema string   // the published schema of a document; "" when there is none
	layout layout   // of the documents
	calls  bool     // there are records of calls in documents, or they are such records
	more   []string // keys that speak for the kind, besides those of the schema
	enough []string // keys that are not telling, and tell the kind where all are there
}

// forms are the kinds of files with a schema, in the order in which they are tried
// where a file could be several. Those that are told from the rest by other things
// than the keys of a schema stand at the end.
var forms = []form{
	{kind: Definition, title: "tool definition", noun: "definition", schema: "tool_definition.v1", enough: []string{"name", "description", "parameters"}},
	{kind: Policy, title: "policy", schema: "policy.v1", layout: single, more: []string{"rules"}, enough: []string{"version", "tools"}},
	{kind: Agent, title: "agent file", schema: "agent_config.v2", layout: single},
	{kind: Message, title: "message", noun: "document", schema: "chat_message.v2", layout: several, calls: true, more: callKeys, enough: []string{"query", "results"}},
	{kind: BaselineFile, title: "baseline", noun: "known finding", schema: "baseline.v1", layout: lines},
	printed("envelope.v1"),
	printed("parse_result.v1"),
	printed("doctor.v1"),
	{kind: Events, title: "events", noun: "event", schema: "agent_streaming_events.v1", layout: lines, calls: true},
	{kind: RunFile, title: "run file", noun: "record"},
	{kind: Schema, title: "JSON Schema"},
	{kind: Answer, title: "answer", noun: "answer"},
	{kind: Unknown, title: "unknown kind"},
}

// callKeys are the keys of records of calls, in their forms v2 and v1.
var callKeys = []string{"toolType", "toolName", "input", "output", "name", "query", "results", "namespace", "index"}

// printed is the form of documents that are known by the name of their schema.
func printed(name string) form {
	return form{kind: Kind(name), title: name, noun: "document", schema: name, layout: several}
}

// form returns what is known about a kind.
func (k Kind) form() form {
	if i := slices.IndexFunc(forms, func(f form) bool { return f.kind == k }); i >= 0 {
		return forms[i]
	}
	return printed(string(k))
}

// part returns which part of the schema of a kind a document is held against, as a
// JSON pointer: a call that stands alone is one as messages have it.
func (f form) part(d document) string {
	call := false
	if f.kind == Message {
		eachMember(gjson.ParseBytes(d.json), func(key string, _ gjson.Result) {
			call = call || key == "toolType" || key == "toolName"
		})
	}
	if call {
		return "/$defs/toolCall"
	}
	return ""
}

// Title names a kind for people.
func (k Kind) Title() string { return k.form().title }

// Noun names what is counted in a file of a kind, or is "".
func (k Kind) Noun() string { return k.form().noun }

// HasCalls reports whether files of a kind hold records of calls.
func (k Kind) HasCalls() bool { return k.form().calls }

// KindNamed returns the kind of that name. The name of a published schema stands
// for the kind whose documents it describes.
func KindNamed(name string) (Kind, bool) {
	if slices.Contains(Kinds, Kind(name)) {
		return Kind(name), true
	}
	if i := slices.IndexFunc(forms, func(f form) bool { return f.schema != "" && f.schema == name }); i >= 0 {
		return forms[i].kind, true
	}
	_, ok := schema.Text(name)
	return Kind(name), ok
}
