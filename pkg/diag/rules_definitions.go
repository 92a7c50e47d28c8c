package diag

// Codes about tool definitions. Each is an error: a definition that has one is
// not used, and no model is asked before all definitions of a run are good.
const (
	DefSyntax     Code = "TD001"
	DefUnknownKey Code = "TD002"
	DefDuplicate  Code = "TD003" // duplicate key
	DefType       Code = "TD004" // wrong type of a value
	DefMissing    Code = "TD005" // required key missing
	DefValue      Code = "TD006" // right type, wrong value
	DefExamples   Code = "TD007" // fewer than three
	DefExample    Code = "TD008" // an example does not fit the parameters
	DefSignature  Code = "TD009" // signature does not parse
	DefDisagree   Code = "TD010" // signature and parameters disagree
	DefName       Code = "TD011" // two definitions of one name
	DefImpl       Code = "TD012" // no implementation, or one that does not exist
	DefHole       Code = "TD013" // a hole where none can be, or for what is no argument
	DefProgram    Code = "TD014" // a program that cannot be confined
	DefRequest    Code = "TD015" // a request that cannot be made, or not by a definition
)

// definitionRules documents the TD codes. Each example is a part of a
// definition, which raises the code in an otherwise good one.
var definitionRules = []Rule{
	{
		Code: DefSyntax, Slug: "yaml-syntax", Severity: Error,
		Title: "A definition file is not YAML, or not the part of YAML that is read",
		Text: "Definitions take of YAML what JSON can say, and comments. Anchors, aliases, merge keys and tags are refused: " +
			"they can make a small file stand for an endless one, and let a value be something else than it looks. The file must be UTF-8 and at most 1 MiB.",
		Bad:  "description: Fetch a page: any page.",
		Good: "description: \"Fetch a page: any page.\"",
	},
	{
		Code: DefUnknownKey, Slug: "unknown-key", Severity: Error,
		Title: "A definition has a key that means nothing",
		Text: "A misspelt key would be a rule that is not kept: a limit that does not limit, a parameter that may be anything. " +
			"So every key must be known. Where one is near, the hint names it.",
		Bad:  "limits: {bytes: 1MB}",
		Good: "limit: {bytes: 1MB}",
	},
	{
		Code: DefDuplicate, Slug: "duplicate-yaml-key", Severity: Error,
		Title: "A key stands twice in one mapping",
		Text:  "YAML readers take the first, the last or neither. The finding names the line of the first; one of the two must go.",
		Bad:   "timeout: 20s\ntimeout: 60s",
		Good:  "timeout: 60s",
	},
	{
		Code: DefType, Slug: "wrong-yaml-type", Severity: Error,
		Title: "A value of a definition is of the wrong type",
		Text: "Values are not converted, because YAML turns some words into other things than they look: a version 1.10 becomes the number 1.1. " +
			"Strings that look like numbers need quotes; numbers are written as in JSON; yes and on are strings, not true.",
		Bad:  "idempotent: yes",
		Good: "idempotent: true",
	},
	{
		Code: DefMissing, Slug: "missing-key", Severity: Error,
		Title: "A definition lacks a key that it must have",
		Text: "A definition has a name, a description, an effect, a signature or parameters, an implementation and examples. " +
			"The effect has no default: what a tool does to the world must be said.",
		Bad:  "examples: [{note: the start page}, {call: \"wget('https://example.com/')\"}, {call: \"wget('https://example.com/a')\"}]",
		Good: "examples: [{call: \"wget('https://example.com/b')\", note: the start page}, {call: \"wget('https://example.com/')\"}, {call: \"wget('https://example.com/a')\"}]",
	},
	{
		Code: DefValue, Slug: "bad-value", Severity: Error,
		Title: "A value of a definition is of the right type, but not allowed",
		Text: "Names are 1 to 64 letters, digits and underscores, because every provider takes those. Durations are such as 20s, rates such as 5/s, sizes such as 1MB. " +
			"The parameters must be a JSON Schema that holds, and a default must fit its own parameter.",
		Bad:  "timeout: 20 seconds",
		Good: "timeout: 20s",
	},
	{
		Code: DefExamples, Slug: "few-examples", Severity: Error,
		Title: "A definition has fewer than three examples",
		Text: "Examples show a model how a call is written, and they are what a definition is tested with when it is loaded. " +
			"Three are enough to show the smallest call, the usual one and one with every parameter. The key prompt_examples sets how many of them a model sees, the first ones.",
		Bad:  "examples: [{call: \"wget('https://example.com/')\"}]",
		Good: "examples: [{call: \"wget('https://example.com/')\"}, {call: \"wget({uri: 'https://example.com/'})\"}, {call: \"wget('https://example.com/', 500)\"}]",
	},
	{
		Code: DefExample, Slug: "bad-example", Severity: Error,
		Title: "An example is no call that the tool could be given",
		Text: "An example is read like the call of a model, without tolerance, and held against the parameters. One that does not fit teaches a model a wrong call, " +
			"or shows that the parameters are not what was meant. The place is inside the example where that is known.",
		Bad:  "examples: [{call: \"wget()\"}, {call: \"wget('https://example.com/')\"}, {call: \"wget('https://example.com/a')\"}]",
		Good: "examples: [{call: \"wget('https://example.com/b')\"}, {call: \"wget('https://example.com/')\"}, {call: \"wget('https://example.com/a')\"}]",
	},
	{
		Code: DefSignature, Slug: "bad-signature", Severity: Error,
		Title: "A signature or the type of a result cannot be read",
		Text: "Signatures are name(uri: string, timeoutMs?: number): string or name(string uri, number timeoutMs): string. " +
			"Types are string, number, integer, boolean, null, object, any, T[], unions, literals and {a: string, b?: T}. The column is that of the fault inside the string.",
		Bad:  "signature: \"wget(uri: str, timeoutMs?: number): string\"",
		Good: "signature: \"wget(uri: string, timeoutMs?: number): string\"",
	},
	{
		Code: DefDisagree, Slug: "signature-disagrees", Severity: Error,
		Title: "Signature and parameters say different things",
		Text: "They are two ways to say the same, and a model is shown only one of them. Names, order, types, what is optional and defaults must agree; " +
			"number in a signature may be integer in the parameters, and parameters may say more, such as bounds and allowed values. Either can be left out.",
		Bad:  "parameters: {url: {type: string}, timeoutMs: {type: integer, required: false}}",
		Good: "parameters: {uri: {type: string}, timeoutMs: {type: integer, required: false}}",
	},
	{
		Code: DefName, Slug: "duplicate-tool", Severity: Error,
		Title: "Two definitions have one name",
		Text: "A call must mean one tool. Both places are named; one of the two must be renamed or left out. " +
			"finalResponse is a tool of oneshot itself, with which a model ends its work, and cannot be defined.",
		Bad:  "name: finalResponse",
		Good: "name: wget",
	},
	{
		Code: DefImpl, Slug: "no-implementation", Severity: Error,
		Title: "A definition has no implementation, two, or one that does not exist",
		Text: "The key builtin names a tool that is written in Go, and exec says which program is run; exactly one of them stands there. " +
			"A definition without an implementation would be offered to a model and could never run.",
		Bad:  "builtin: wgte",
		Good: "builtin: wget",
	},
	{
		Code: DefHole, Slug: "bad-hole", Severity: Error,
		Title: "A hole stands where there can be none, or is for no argument of the program or the request",
		Text: "${name} in exec or http is a hole for the value of a parameter: text, a number, true or false, or, where it is the whole element, a list of these. " +
			"No value says which program runs, where it runs, or which option it gets, nor which server is asked, and for what. $${ stands for ${ itself.",
		Bad:  "effect: exec\nexec: {argv: [curl, \"--max-time=${timeout}\", --, \"${uri}\"]}",
		Good: "effect: exec\nexec: {argv: [curl, \"--max-time=${timeoutMs}\", --, \"${uri}\"]}",
	},
	{
		Code: DefProgram, Slug: "unsafe-program", Severity: Error,
		Title: "A definition runs a program in a way that nobody could confine",
		Text: "What runs a program has the effect exec. The program is an absolute path, or a name that is looked up in the path of the policy; " +
			"it runs below the root, gets no variable by which programs load or run something else, and no value is a text that a shell or an interpreter would do, on its command line, on its stdin or as an argument that its text evaluates.",
		Bad:  "effect: exec\nexec: {argv: [sh, -c, \"curl '${uri}'\"]}",
		Good: "effect: exec\nexec: {argv: [curl, --, \"${uri}\"]}",
	},
	{
		Code: DefRequest, Slug: "bad-request", Severity: Error,
		Title: "A definition makes a request that nobody could confine, or that cannot be made",
		Text: "The scheme, the host and the names in a request stand in the definition. PUT, PATCH and DELETE have the effect write. " +
			"Headers that say how a request is sent are the program's, and a key is sent to those servers only that the definition says know it.",
		Bad:  "effect: read\nhttp: {method: DELETE, url: \"https://example.com/pages\"}",
		Good: "effect: write\nhttp: {method: DELETE, url: \"https://example.com/pages\"}",
	},
}
