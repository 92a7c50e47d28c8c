package dialect

import "testing"

// TestResultsInText checks which text between two calls is a fabricated result, after which a call is not executable,
// and which text only mentions a tag.
func TestResultsInText(t *testing.T) {
	for _, test := range []struct {
		dialect  string
		text     string
		isResult bool
	}{
		{"minimax_m2", `It says: <response>"Sunny"</response>`, true},
		{"minimax_m2", "It says: <response>\nSunny, 20 °C\n</response>", true},
		{"minimax_m2", "It says: <response> Sunny</response>", true},
		{"minimax_m2", "It says: <response> Sunny, and so on\n</response>", true},
		{"minimax_m2", "It says: <response><temp>5</temp>", true},
		{"minimax_m2", "It says: <response>-5", true},
		{"minimax_m2", "It says: <response> 5", true},
		{"minimax_m2", "<response> is it.", true},
		{"minimax_m2", "I use a <response> element.", false},
		{"minimax_m2", "That is in (<response>), or after <response>.", false},
		{"minimax_m2", "That is in `<response>` and `</response>`", false},
		{"minimax_m2", "<think>It is <response>5</response></think>", false},
		{"hermes", "It is <tool_response>Sunny</tool_response>", true},
		{"mistral", `It says: [TOOL_RESULTS] "x"`, true},
		{"lfm2", "It says: <|tool_response_start|> Sunny", true},
		{"react", "My Observation: none.", false},
	} {
		d, _ := Lookup(test.dialect)
		text := renderedCall(&d, "f", "{}") + "\n" + test.text + "\n" + renderedCall(&d, "g", "{}")
		calls := Scan(text, Options{Dialect: d}).Calls
		if len(calls) != 2 || calls[1].Executable == test.isResult {
			t.Errorf("%q: calls %v; result: %t", text, calls, test.isResult)
		}
	}
}
