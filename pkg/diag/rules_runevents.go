package diag

// Codes for the events of a run.
const (
	EventOrder      Code = "TE001"
	EventsTruncated Code = "TE002"
)

// eventRules documents the TE codes.
var eventRules = []Rule{
	{
		Code: EventOrder, Slug: "event-order", Severity: Error,
		Title: "An event is out of order",
		Text: "Each event is valid, but the sequence is impossible. A run begins with on_chain_start and ends with on_chain_end or error, which " +
			"nothing may follow. Each on_tool_end ends a tool that has started, and none is left when the run ends normally. toolCalls hold all " +
			"calls so far, so earlier ones never change.",
		Bad:  "{\"event\":\"on_chain_start\"}\n{\"event\":\"on_tool_end\"}\n{\"event\":\"on_chain_end\",\"data\":\"At six.\",\"toolCalls\":[]}",
		Good: "{\"event\":\"on_chain_start\"}\n{\"event\":\"on_tool_start\",\"data\":\"wget\"}\n{\"event\":\"on_tool_end\"}\n{\"event\":\"on_chain_end\",\"data\":\"At six.\",\"toolCalls\":[]}",
	},
	{
		Code: EventsTruncated, Slug: "events-truncated", Severity: Error,
		Title: "The events end before the run does",
		Text: "The last line is incomplete, or is neither on_chain_end nor error: the run was killed, the connection was lost, or the run is still " +
			"active. Its last actions are unknown. Ignore this code for the events of a run that is still active.",
		Bad:  "{\"event\":\"on_chain_start\"}\n{\"event\":\"on_chat_mo",
		Good: "{\"event\":\"on_chain_start\"}\n{\"event\":\"error\",\"data\":{\"error\":\"timeout\",\"message\":\"no answer within 5m\"}}",
	},
}
