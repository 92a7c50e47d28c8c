package diag

// The codes of TC0, about bytes, bodies and records.
const (
	InvalidUTF8    Code = "TC001"
	OrderMark      Code = "TC002"
	Replacement    Code = "TC003"
	UnreadableBody Code = "TC010"
	CutBody        Code = "TC011"
	ServerError    Code = "TC012"
	UncleanEnd     Code = "TC013"
	EndContradicts Code = "TC014"
	OtherChoices   Code = "TC015"
	BadRecord      Code = "TC020"
	NoResponse     Code = "TC021"
	BadDialect     Code = "TC022"
	BadTools       Code = "TC023"
	LargeRecord    Code = "TC024"
)

var byteRules = []Rule{
	{
		Code: InvalidUTF8, Slug: "invalid-utf8", Severity: Error, Also: []Severity{Warning},
		Title: "Bytes or an escape that is no character",
		Text: "Bytes that are not UTF-8, and half of a surrogate pair, have no meaning in JSON. Decoders replace " +
			"them without a word, so the tool would see another value than the one that was checked. The call is not executed.",
		Bad:  `return file_put("note.txt", "a\ud800");`,
		Good: `return file_put("note.txt", "a😀");`,
		Fix:  Unsafe,
	},
	{
		Code: OrderMark, Slug: "byte-order-mark", Severity: Info,
		Title: "A byte order mark at the start of a file",
		Text:  "It means nothing in UTF-8, is no part of what the model said and takes no column. Programs that do not know it take it for text.",
		Bad:   "\ufeff{\"toolCalls\": [{\"type\": \"search\", \"id\": \"s1\", \"operation\": \"search\", \"parameters\": {\"query\": \"x\"}}]}",
		Good:  `{"toolCalls": [{"type": "search", "id": "s1", "operation": "search", "parameters": {"query": "x"}}]}`,
		Fix:   Safe,
	},
	{
		Code: Replacement, Slug: "replacement-character", Severity: Warning,
		Title: "An argument holds U+FFFD",
		Text: "This character stands for bytes that some program could not read: most often a server has cut a character between two tokens. What " +
			"was there is lost before it came here, so the value is not what the model meant.",
		Bad:  "return search(\"caf\ufffd\");",
		Good: `return search("café");`,
	},
	{
		Code: UnreadableBody, Slug: "unreadable-body", Severity: Error,
		Title: "The response of a server is damaged",
		Text: "It is not what its format says: broken JSON, a name twice in an object, or an event that does not belong " +
			"there. What stood before that was read; nothing behind it is, and no call is executed.",
		Bad:  `{"message":{"content":"Fine."},"done":true,"done":false}`,
		Good: `{"message":{"content":"Fine."},"done":true}`,
	},
	{
		Code: CutBody, Slug: "cut-body", Severity: Error,
		Title: "The response of a server ends too early",
		Text: "Its last message is missing, or all of it, so that nobody knows what else the model wanted to say. None of its calls is executed. " +
			"An empty file is a capture that failed.",
		Bad:  `{"message":{"content":"Fine"},"done":false}`,
		Good: `{"message":{"content":"Fine."},"done":true}`,
	},
	{
		Code: ServerError, Slug: "server-error", Severity: Error,
		Title: "The server reports an error instead of a response",
		Text:  "The model said nothing, or not all that it wanted to say. No call is executed.",
		Bad:   `{"message":{"content":"Fi"},"done":false}` + "\n" + `{"error":"the model runner has stopped"}`,
		Good:  `{"message":{"content":"Fine."},"done":true}`,
	},
	{
		Code: UncleanEnd, Slug: "unclean-end", Severity: Error,
		Title: "A response did not end of its own accord",
		Text: "The server gives another reason than that the model had finished: a limit of tokens, a filter, a refusal, a call that the server could not read, or none where " +
			"there must be one. A call that looks complete can be half of what was meant, as a list of two commands of three, so none is executed.",
		Bad:  `{"choices":[{"message":{"content":"Fine, but"},"finish_reason":"length"}]}`,
		Good: `{"choices":[{"message":{"content":"Fine."},"finish_reason":"stop"}]}`,
	},
	{
		Code: EndContradicts, Slug: "end-contradicts", Severity: Warning, Also: []Severity{Info},
		Title: "The reason for the end contradicts the response",
		Text: "The server says that the model calls tools, and there is no call in the field for calls: it was lost, or stands in the text. " +
			"That there are calls and the reason is another one is only noted: some servers say so where one tool was asked for.",
		Bad:  `{"choices":[{"message":{"content":"I will search."},"finish_reason":"tool_calls"}]}`,
		Good: `{"choices":[{"message":{"content":"Fine."},"finish_reason":"stop"}]}`,
	},
	{
		Code: OtherChoices, Slug: "other-choices", Severity: Warning,
		Title: "The response has more than one choice",
		Text: "Somebody has asked for several (n, candidateCount). Only the first is read, as in a run, which never asks for more: calls in the others " +
			"are not found, and what is wrong with them is not either.",
		Bad:  `{"choices":[{"index":0,"message":{"content":"Fine."},"finish_reason":"stop"},{"index":1,"message":{"content":"Good."},"finish_reason":"stop"}]}`,
		Good: `{"choices":[{"index":0,"message":{"content":"Fine."},"finish_reason":"stop"}]}`,
	},
	{
		Code: BadRecord, Slug: "bad-record", Severity: Error,
		Title: "A line is no record",
		Text: "Each line of JSON Lines is one JSON value. This one is none, or has a name twice in an object. " +
			"It is left out, and the others are read.",
		Bad:  `{"response": "Fine."`,
		Good: `{"response": "Fine."}`,
	},
	{
		Code: NoResponse, Slug: "no-response", Severity: Error,
		Title: "A record has no response",
		Text: "A response is a string, or the body of a server as an object or an array. Where --field points there is none; or, without --field, " +
			"the record is no response itself, and of the members that usually hold one there is none, or two hold calls.",
		Bad:  `{"response": null}`,
		Good: `{"response": "Fine."}`,
	},
	{
		Code: BadDialect, Slug: "bad-dialect", Severity: Error,
		Title: "A record names a dialect that there is not",
		Text: "Where --dialect-field says that the dialect stands there is no name that --list-dialects has. The " +
			"response is read as if the record said nothing about it.",
		Bad:  `{"dialect": "hermess", "response": "Fine."}`,
		Good: `{"dialect": "hermes", "response": "Fine."}`,
	},
	{
		Code: BadTools, Slug: "bad-tools", Severity: Error,
		Title: "The tools of a record cannot be read",
		Text: "Where --tools-field says that the tools stand there is no list of functions as OpenAI's API has them, " +
			"each with a name and the JSON Schema of an object. The calls are not held against them.",
		Bad:  `{"tools": [{"type": "function"}], "response": "Fine."}`,
		Good: `{"tools": [{"type": "function", "function": {"name": "lookup"}}], "response": "Fine."}`,
	},
	{
		Code: LargeRecord, Slug: "large-record", Severity: Error,
		Title: "A line is too long for a record",
		Text:  "It has more than 64 MiB. It is left out, and the others are read: no response is that long.",
		Bad:   `{"response": "All of the book … and its index."}`,
		Good:  `{"response": "One page of the book."}`,
	},
}
