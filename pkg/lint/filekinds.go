package lint

import (
	"slices"

	"github.com/tidwall/gjson"

	"oneshot/pkg/schema"
)

// A Kind is a kind of file that can be checked: one of [Kinds], or the name of a published schema
// such as "envelope.v1".
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
	BatchOutput  Kind = "batch"
)

// configuration is the kind of config.yaml. It can be named by its schema only.
const configuration Kind = "config.v1"

// Unknown is the kind of a file whose kind cannot be detected. It cannot be named.
const Unknown Kind = "unknown"

// Kinds lists the kinds of files apart from the names of published schemas.
var Kinds = []Kind{Definition, RunFile, Schema, Answer, Agent, Policy, Message, Events, BatchOutput, BaselineFile}

// A kindInfo describes a kind of file.
type kindInfo struct {
	kind           Kind
	title          string   // for people
	noun           string   // of the counted parts; "" if the file is one
	schema         string   // name of the published schema; "" for none
	layout         layout   // of the documents
	hasCalls       bool     // documents hold or are call records
	extraKeys      []string // keys that indicate the kind, in addition to the schema's
	sufficientKeys []string // common keys that determine the kind if all are present
}

// kindTable lists the kinds that have a schema in the order in which detection tries them. Kinds
// that are detected by other means than schema keys come last.
var kindTable = []kindInfo{
	{kind: Definition, title: "tool definition", noun: "definition", schema: "tool_definition.v1", sufficientKeys: []string{"name", "description", "parameters"}},
	{kind: Policy, title: "policy", schema: "policy.v1", layout: singleDocument, extraKeys: []string{"rules"}, sufficientKeys: []string{"version", "tools"}},
	{kind: Agent, title: "agent file", schema: "agent_config.v2", layout: singleDocument},
	{kind: Message, title: "message", noun: "document", schema: "chat_message.v2", layout: manyDocuments, hasCalls: true, extraKeys: callKeys, sufficientKeys: []string{"query", "results"}},
	{kind: BaselineFile, title: "baseline", noun: "known finding", schema: "baseline.v1", layout: jsonLines},
	{kind: BatchOutput, title: "batch output", noun: "line", schema: "batch.v1", layout: jsonLines},
	kindOfSchema("envelope.v1"),
	kindOfSchema("parse_result.v1"),
	kindOfSchema("doctor.v1"),
	{kind: Events, title: "events", noun: "event", schema: "agent_streaming_events.v1", layout: jsonLines, hasCalls: true},
	{kind: RunFile, title: "run file", noun: "record"},
	{kind: Schema, title: "JSON Schema"},
	{kind: Answer, title: "answer", noun: "answer"},
	{kind: Unknown, title: "unknown kind"},
}

// callKeys are the keys of call records in v2 and v1.
var callKeys = []string{"toolType", "toolName", "input", "output", "name", "query", "results", "namespace", "index"}

// kindOfSchema describes documents whose kind is the name of their schema.
func kindOfSchema(name string) kindInfo {
	return kindInfo{kind: Kind(name), title: name, noun: "document", schema: name, layout: manyDocuments}
}

// info returns the description of a kind.
func (k Kind) info() kindInfo {
	if i := slices.IndexFunc(kindTable, func(f kindInfo) bool { return f.kind == k }); i >= 0 {
		return kindTable[i]
	}
	return kindOfSchema(string(k))
}

// schemaPart returns a JSON pointer to the part of the schema that a document is checked against: a
// single call is checked as a call of a message.
func (f kindInfo) schemaPart(d document) string {
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

// Title returns a kind's name for people.
func (k Kind) Title() string { return k.info().title }

// PartNoun returns the noun for the counted parts of a file, or "".
func (k Kind) PartNoun() string { return k.info().noun }

// HasCalls reports whether files of a kind hold call records.
func (k Kind) HasCalls() bool { return k.info().hasCalls }

// KindByName returns the kind with a name. The name of a published schema stands for the kind of its
// documents.
func KindByName(name string) (Kind, bool) {
	if slices.Contains(Kinds, Kind(name)) {
		return Kind(name), true
	}
	if i := slices.IndexFunc(kindTable, func(f kindInfo) bool { return f.schema != "" && f.schema == name }); i >= 0 {
		return kindTable[i].kind, true
	}
	_, ok := schema.PublishedText(name)
	return Kind(name), ok
}
