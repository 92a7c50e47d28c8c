package diag

// TC0: bytes, bodies and records.
const (
	InvalidUTF8          Code = "TC001"
	ByteOrderMark        Code = "TC002"
	ReplacementChar      Code = "TC003"
	UnreadableBody       Code = "TC010"
	TruncatedBody        Code = "TC011"
	ServerError          Code = "TC012"
	AbnormalStop         Code = "TC013"
	FinishReasonMismatch Code = "TC014"
	ExtraChoices         Code = "TC015"
	BadRecord            Code = "TC020"
	NoResponse           Code = "TC021"
	BadDialect           Code = "TC022"
	BadTools             Code = "TC023"
	LargeRecord          Code = "TC024"
)

var inputRules = []Rule{
	{
		Code: InvalidUTF8, Slug: "invalid-utf8", Severity: Error, Also: []Severity{Warning},
		Title: "Invalid UTF-8 or an unpaired surrogate",
		Text: "Invalid UTF-8 and unpaired surrogate escapes have no meaning in JSON. Decoders replace them silently, so the tool would see a " +
			"different value than the one that was checked. The call is not executed.",
		Bad:  `return file_put("note.txt", "a\ud800");`,
		Good: `return file_put("note.txt", "a😀");`,
		Fix:  Unsafe,
	},
	{
		Code: ByteOrderMark, Slug: "byte-order-mark", Severity: Info,
		Title: "A file starts with a byte order mark",
		Text:  "It has no meaning in UTF-8, is not part of the response and takes no column. Programs that do not expect it read it as text.",
		Bad:   "\ufeff{\"toolCalls\": [{\"type\": \"search\", \"id\": \"s1\", \"operation\": \"search\", \"parameters\": {\"query\": \"x\"}}]}",
		Good:  `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x"}}]}`,
		Fix:   Safe,
	},
	{
		Code: ReplacementChar, Slug: "replacement-character", Severity: Warning,
		Title: "An argument contains U+FFFD",
		Text: "This character replaces bytes that some program could not decode, usually because a server split a character between two tokens. The " +
			"original bytes are lost, so the value is not what the model meant.",
		Bad:  "return search(\"caf\ufffd\");",
		Good: `return search("café");`,
	},
	{
		Code: UnreadableBody, Slug: "unreadable-body", Severity: Error,
		Title: "A server's response is malformed",
		Text: "The body violates its format: broken JSON, a duplicate name in an object, or an unexpected event. Everything before the fault is " +
			"read and everything after it is skipped. No call is executed.",
		Bad:  `{"message":{"content":"Fine."},"done":true,"done":false}`,
		Good: `{"message":{"content":"Fine."},"done":true}`,
	},
	{
		Code: TruncatedBody, Slug: "truncated-body", Severity: Error,
		Title: "A server's response is truncated",
		Text: "The final message is missing, or all of them, so the response may be incomplete. None of its calls is executed. An empty file " +
			"is a failed capture.",
		Bad:  `{"message":{"content":"Fine"},"done":false}`,
		Good: `{"message":{"content":"Fine."},"done":true}`,
	},
	{
		Code: ServerError, Slug: "server-error", Severity: Error,
		Title: "The server reports an error instead of a response",
		Text:  "The response is missing or incomplete. No call is executed.",
		Bad:   `{"message":{"content":"Fi"},"done":false}` + "\n" + `{"error":"the model runner has stopped"}`,
		Good:  `{"message":{"content":"Fine."},"done":true}`,
	},
	{
		Code: AbnormalStop, Slug: "abnormal-stop", Severity: Error,
		Title: "A response did not stop normally",
		Text: "The server reports that the model did not finish: a token limit, a filter, a refusal, a call that the server could not parse, or no " +
			"reason where the format requires one. A call that looks complete may be only part of what was meant, such as a list with two of " +
			"three commands, so none is executed.",
		Bad:  `{"choices":[{"message":{"content":"Fine, but"},"finish_reason":"length"}]}`,
		Good: `{"choices":[{"message":{"content":"Fine."},"finish_reason":"stop"}]}`,
	},
	{
		Code: FinishReasonMismatch, Slug: "finish-reason-mismatch", Severity: Warning, Also: []Severity{Info},
		Title: "The finish reason contradicts the response",
		Text: "The server says that the model calls tools, but the response has no native call: it was lost, or is in the text. The opposite, calls " +
			"with another finish reason, is only info: some servers do so for a forced tool choice.",
		Bad:  `{"choices":[{"message":{"content":"I will search."},"finish_reason":"tool_calls"}]}`,
		Good: `{"choices":[{"message":{"content":"Fine."},"finish_reason":"stop"}]}`,
	},
	{
		Code: ExtraChoices, Slug: "extra-choices", Severity: Warning,
		Title: "The response has more than one choice",
		Text: "The request asked for several choices (n, candidateCount). Only the first is read, as in a run, which never asks for more. Calls and " +
			"faults in the others are not reported.",
		Bad:  `{"choices":[{"index":0,"message":{"content":"Fine."},"finish_reason":"stop"},{"index":1,"message":{"content":"Good."},"finish_reason":"stop"}]}`,
		Good: `{"choices":[{"index":0,"message":{"content":"Fine."},"finish_reason":"stop"}]}`,
	},
	{
		Code: BadRecord, Slug: "bad-record", Severity: Error,
		Title: "A line is not a valid record",
		Text:  "Each line of JSON Lines must be one JSON value without duplicate names. This line is skipped; the others are read.",
		Bad:   `{"response": "Fine."`,
		Good:  `{"response": "Fine."}`,
	},
	{
		Code: NoResponse, Slug: "no-response", Severity: Error,
		Title: "A record has no response",
		Text: "A response is a string, or a server's body as an object or array. The record has none at the path in --field. Without --field, the " +
			"record itself is not a response, and none of the members that usually hold one does, or two of them hold calls.",
		Bad:  `{"response": null}`,
		Good: `{"response": "Fine."}`,
	},
	{
		Code: BadDialect, Slug: "bad-dialect", Severity: Error,
		Title: "A record names an unknown dialect",
		Text:  "The value at --dialect-field is not a name from --list-dialects. The response is read as if the record named no dialect.",
		Bad:   `{"dialect": "hermess", "response": "Fine."}`,
		Good:  `{"dialect": "hermes", "response": "Fine."}`,
	},
	{
		Code: BadTools, Slug: "bad-tools", Severity: Error,
		Title: "The tools of a record cannot be read",
		Text: "The value at --tools-field is not a list of functions in OpenAI's format, each with a name and an object's JSON Schema. The calls " +
			"are not checked against it.",
		Bad:  `{"tools": [{"type": "function"}], "response": "Fine."}`,
		Good: `{"tools": [{"type": "function", "function": {"name": "lookup"}}], "response": "Fine."}`,
	},
	{
		Code: LargeRecord, Slug: "large-record", Severity: Error,
		Title: "A record exceeds the size limit",
		Text:  "The line is longer than 64 MiB. It is skipped and the others are read: no response is that long.",
		Bad:   `{"response": "All of the book … and its index."}`,
		Good:  `{"response": "One page of the book."}`,
	},
}
