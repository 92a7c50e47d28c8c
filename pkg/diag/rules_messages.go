package diag

// Codes about messages and the records of calls in them.
const (
	OldRecord  Code = "TM001"
	OpenRecord Code = "TM002"
)

// messageRules documents the TM codes.
var messageRules = []Rule{
	{
		Code: OldRecord, Slug: "v1-record", Severity: Warning,
		Title: "A record of a call has the form v1",
		Text: "It has name, query and results where the form v2 has toolType, toolName, input and output; its results have chunk_id for id, and their content twice. " +
			"oneshot validate --fix rewrites it: values stay as they are, to the digit, and in their order. What v1 does not say is said with --tool-name and --top-k.",
		Bad: `{"name":"retrieval","query":"pump","results":[{"chunk_id":"c1","score":0.9,"content":"At six.","metadata":{}}],"namespace":"docs","index":"garden"}`,
		Good: `{"toolType":"vectorSearch","toolName":"search_docs","input":{"query":"pump","topK":5},"output":{"results":[{"id":"c1","score":0.9,"metadata":{"content":"At six."}}],` +
			`"namespace":"docs","index":"garden"}}`,
		Fix: Safe,
	},
	{
		Code: OpenRecord, Slug: "v1-open", Severity: Error,
		Title: "A record of the form v1 cannot be rewritten",
		Text: "Something that the form v2 must have does not follow from it: the name of the tool, how many results were asked for, the type of the tool from a name that is not known. " +
			"Or it has something that v2 has no place for, or content that is not the same in metadata. Nothing is guessed or left out.",
		Bad:  `{"name":"search","query":"pump","results":[],"namespace":"docs","index":"garden"}`,
		Good: `{"toolType":"vectorSearch","toolName":"search_docs","input":{"query":"pump","topK":5},"output":{"results":[],"namespace":"docs","index":"garden"}}`,
	},
}
