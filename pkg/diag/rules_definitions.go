package diag

// Codes for tool definitions. All are errors: a run starts only if all its definitions are valid.
const (
	DefSyntax      Code = "TD001"
	DefUnknownKey  Code = "TD002"
	DefDuplicate   Code = "TD003" // duplicate key
	DefType        Code = "TD004" // wrong type of a value
	DefMissing     Code = "TD005" // required key missing
	DefValue       Code = "TD006" // right type, wrong value
	DefExamples    Code = "TD007" // fewer than three
	DefExample     Code = "TD008" // an example does not fit the parameters
	DefSignature   Code = "TD009" // signature does not parse
	DefDisagree    Code = "TD010" // signature and parameters disagree
	DefName        Code = "TD011" // two definitions of one name
	DefImpl        Code = "TD012" // no implementation, several, or an unknown one
	DefPlaceholder Code = "TD013" // a placeholder that is not allowed or names no parameter
	DefProgram     Code = "TD014" // a program that cannot be confined
	DefRequest     Code = "TD015" // a request that is invalid or cannot be confined
)

// definitionRules documents the TD codes. Each example is part of an otherwise valid definition.
var definitionRules = []Rule{
	{
		Code: DefSyntax, Slug: "yaml-syntax", Severity: Error,
		Title: "A definition file is not valid YAML, or uses unsupported YAML",
		Text: "Definitions use the part of YAML that JSON can express, and comments. Anchors, aliases, merge keys and tags are rejected: they can " +
			"expand a small file without limit and make values look like something else. The file must be UTF-8 and at most 1 MiB.",
		Bad:  "description: Fetch a page: any page.",
		Good: "description: \"Fetch a page: any page.\"",
	},
	{
		Code: DefUnknownKey, Slug: "unknown-key", Severity: Error,
		Title: "A definition has an unknown key",
		Text: "A misspelled key would silently disable a rule: a limit that does not limit, a parameter without constraints. So every key must be " +
			"known. The hint names a similar key.",
		Bad:  "limits: {bytes: 1MB}",
		Good: "limit: {bytes: 1MB}",
	},
	{
		Code: DefDuplicate, Slug: "duplicate-yaml-key", Severity: Error,
		Title: "A mapping has a duplicate key",
		Text:  "YAML parsers use the first value, the last, or report an error. The finding names the line of the first; remove one of them.",
		Bad:   "timeout: 20s\ntimeout: 60s",
		Good:  "timeout: 60s",
	},
	{
		Code: DefType, Slug: "wrong-yaml-type", Severity: Error,
		Title: "A value of a definition has the wrong type",
		Text: "Values are not converted, because YAML reads some words unexpectedly: version 1.10 becomes the number 1.1. Quote strings that look " +
			"like numbers and write numbers as in JSON. yes and on are strings, not true.",
		Bad:  "idempotent: yes",
		Good: "idempotent: true",
	},
	{
		Code: DefMissing, Slug: "missing-key", Severity: Error,
		Title: "A definition lacks a required key",
		Text: "A definition has a name, a description, an effect, a signature or parameters, an implementation and examples. The effect has no " +
			"default: state whether the tool reads, writes or executes.",
		Bad:  "examples: [{note: the start page}, {call: \"wget('https://example.com/')\"}, {call: \"wget('https://example.com/a')\"}]",
		Good: "examples: [{call: \"wget('https://example.com/b')\", note: the start page}, {call: \"wget('https://example.com/')\"}, {call: \"wget('https://example.com/a')\"}]",
	},
	{
		Code: DefValue, Slug: "bad-value", Severity: Error,
		Title: "A value of a definition is not allowed",
		Text: "Names are 1 to 64 letters, digits and underscores, which every provider accepts. Durations look like 20s, rates like 5/s, sizes like " +
			"1MB. The parameters must be a valid JSON Schema, and a default must fit its parameter.",
		Bad:  "timeout: 20 seconds",
		Good: "timeout: 20s",
	},
	{
		Code: DefExamples, Slug: "few-examples", Severity: Error,
		Title: "A definition has fewer than three examples",
		Text: "Examples show a model how to write a call, and they test the definition when it is loaded. Three can show the smallest call, the " +
			"usual one and one with every parameter. The key prompt_examples sets how many of them, from the first, go into prompts.",
		Bad:  "examples: [{call: \"wget('https://example.com/')\"}]",
		Good: "examples: [{call: \"wget('https://example.com/')\"}, {call: \"wget({uri: 'https://example.com/'})\"}, {call: \"wget('https://example.com/', 500)\"}]",
	},
	{
		Code: DefExample, Slug: "bad-example", Severity: Error,
		Title: "An example is not a valid call of the tool",
		Text: "Examples are parsed like a model's calls, but strictly, and checked against the parameters. One that does not fit would teach a " +
			"model an invalid call, or shows that the parameters are wrong. The span is inside the example where possible.",
		Bad:  "examples: [{call: \"wget()\"}, {call: \"wget('https://example.com/')\"}, {call: \"wget('https://example.com/a')\"}]",
		Good: "examples: [{call: \"wget('https://example.com/b')\"}, {call: \"wget('https://example.com/')\"}, {call: \"wget('https://example.com/a')\"}]",
	},
	{
		Code: DefSignature, Slug: "bad-signature", Severity: Error,
		Title: "A signature or result type cannot be parsed",
		Text: "Signatures are name(uri: string, timeoutMs?: number): string or name(string uri, number timeoutMs): string. Types are string, " +
			"number, integer, boolean, null, object, any, T[], unions, literals and {a: string, b?: T}. The column is that of the fault " +
			"inside the string.",
		Bad:  "signature: \"wget(uri: str, timeoutMs?: number): string\"",
		Good: "signature: \"wget(uri: string, timeoutMs?: number): string\"",
	},
	{
		Code: DefDisagree, Slug: "signature-disagrees", Severity: Error,
		Title: "Signature and parameters disagree",
		Text: "Both describe the same parameters, and a model sees only one of them. Names, order, types, defaults and optional parameters must " +
			"agree. number in a signature may be integer in the parameters, and parameters may add constraints such as bounds and allowed values. " +
			"Either can be omitted.",
		Bad:  "parameters: {url: {type: string}, timeoutMs: {type: integer, required: false}}",
		Good: "parameters: {uri: {type: string}, timeoutMs: {type: integer, required: false}}",
	},
	{
		Code: DefName, Slug: "duplicate-tool", Severity: Error,
		Title: "Two definitions have the same name",
		Text: "A call must identify one tool. The finding names both places; rename or remove one. finalResponse is built into oneshot, to end a " +
			"model's work, and cannot be defined.",
		Bad:  "name: finalResponse",
		Good: "name: wget",
	},
	{
		Code: DefImpl, Slug: "no-implementation", Severity: Error,
		Title: "A definition has no implementation, several, or an unknown one",
		Text: "builtin names a tool implemented in Go, exec a program to run, and http a request; a definition has exactly one of them. Without an " +
			"implementation, a model would be offered a tool that cannot run.",
		Bad:  "builtin: wgte",
		Good: "builtin: wget",
	},
	{
		Code: DefPlaceholder, Slug: "bad-placeholder", Severity: Error,
		Title: "A placeholder is not allowed here, or names no parameter",
		Text: "${name} in exec or http is a placeholder for an argument: text, a number, true or false or, as a whole element, a list of " +
			"these. Arguments never choose the program, its directory or an option, nor the server or the names in a request. $${ stands " +
			"for a literal ${.",
		Bad:  "effect: exec\nexec: {argv: [curl, \"--max-time=${timeout}\", --, \"${uri}\"]}",
		Good: "effect: exec\nexec: {argv: [curl, \"--max-time=${timeoutMs}\", --, \"${uri}\"]}",
	},
	{
		Code: DefProgram, Slug: "unsafe-program", Severity: Error,
		Title: "A definition runs a program that cannot be confined",
		Text: "A tool that runs a program has the effect exec. The program is an absolute path, or a name looked up in the policy's path. It runs " +
			"below the root, gets no variable that makes programs load or run other code, and no argument becomes text that a shell or an " +
			"interpreter evaluates: on the command line, on stdin, or through an inline script.",
		Bad:  "effect: exec\nexec: {argv: [sh, -c, \"curl '${uri}'\"]}",
		Good: "effect: exec\nexec: {argv: [curl, --, \"${uri}\"]}",
	},
	{
		Code: DefRequest, Slug: "bad-request", Severity: Error,
		Title: "A definition makes a request that is invalid or cannot be confined",
		Text: "The definition fixes the scheme, the host and the names in a request. PUT, PATCH and DELETE have the effect write. oneshot sets " +
			"transport headers itself, and sends a key only to the servers that the definition lists for it.",
		Bad:  "effect: read\nhttp: {method: DELETE, url: \"https://example.com/pages\"}",
		Good: "effect: write\nhttp: {method: DELETE, url: \"https://example.com/pages\"}",
	},
}
