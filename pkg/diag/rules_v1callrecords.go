package diag

// Codes for messages and their call records.
const (
	V1CallRecord    Code = "TM001"
	V1Unconvertible Code = "TM002"
)

// messageRules documents the TM codes.
var messageRules = []Rule{
	{
		Code: V1CallRecord, Slug: "v1-record", Severity: Warning,
		Title: "A call record is in v1 format",
		Text: "v1 has name, query and results instead of toolType, toolName, input and output; its results have chunk_id instead of id, and contain " +
			"their content twice. oneshot validate --fix converts it: values, digits and order stay the same. Supply the values that v1 lacks " +
			"with --tool-name and --top-k.",
		Bad: `{"name":"retrieval","query":"pump","results":[{"chunk_id":"c1","score":0.9,"content":"At six.","metadata":{}}],"namespace":"docs","index":"garden"}`,
		Good: `{"toolType":"vectorSearch","toolName":"search_docs","input":{"query":"pump","topK":5},"output":{"results":[{"id":"c1","score":0.9,"metadata":{"content":"At six."}}],` +
			`"namespace":"docs","index":"garden"}}`,
		Fix: Safe,
	},
	{
		Code: V1Unconvertible, Slug: "v1-unconvertible", Severity: Error,
		Title: "A v1 record cannot be converted",
		Text: "A value that v2 requires is unknown: the tool's name, the number of requested results, or the tool type for an unknown name. Or the " +
			"record has a member that v2 lacks, or content that differs from that in metadata. Nothing is guessed or dropped.",
		Bad:  `{"name":"search","query":"pump","results":[],"namespace":"docs","index":"garden"}`,
		Good: `{"toolType":"vectorSearch","toolName":"search_docs","input":{"query":"pump","topK":5},"output":{"results":[],"namespace":"docs","index":"garden"}}`,
	},
}
