package diag

// Codes about the events of a run.
const (
	EventOrder Code = "TE001"
	EventsCut  Code = "TE002"
)

// eventRules documents the TE codes.
var eventRules = []Rule{
	{
		Code: EventOrder, Slug: "event-order", Severity: Error,
		Title: "An event stands where it cannot stand",
		Text: "Each event is whole, but together they tell no possible run. It begins with on_chain_start and ends with on_chain_end or error, behind which nothing follows; each on_tool_end " +
			"ends a tool that has started, and when the run ends well none is left; toolCalls hold all calls so far, so those that were in them stay as they are.",
		Bad:  "{\"event\":\"on_chain_start\"}\n{\"event\":\"on_tool_end\"}\n{\"event\":\"on_chain_end\",\"data\":\"At six.\",\"toolCalls\":[]}",
		Good: "{\"event\":\"on_chain_start\"}\n{\"event\":\"on_tool_start\",\"data\":\"wget\"}\n{\"event\":\"on_tool_end\"}\n{\"event\":\"on_chain_end\",\"data\":\"At six.\",\"toolCalls\":[]}",
	},
	{
		Code: EventsCut, Slug: "events-cut", Severity: Error,
		Title: "Events end before their run does",
		Text: "The last line was not completely written, or is no on_chain_end and no error: the run was killed, the connection broke off, or it goes on still. " +
			"What was done last is not known. For events that are read while the run goes on, ignore this code.",
		Bad:  "{\"event\":\"on_chain_start\"}\n{\"event\":\"on_chat_mo",
		Good: "{\"event\":\"on_chain_start\"}\n{\"event\":\"error\",\"data\":{\"error\":\"timeout\",\"message\":\"no answer within 5m\"}}",
	},
}
