package events

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/chat"
	"oneshot/pkg/runfile"
)

// project returns the events of records, without their toolCalls.
func project(bodies ...runfile.Body) []string {
	var out []string
	p := NewProjector(nil, func(line []byte) {
		text, _, _ := strings.Cut(strings.TrimSuffix(string(line), "\n"), `,"toolCalls"`)
		out = append(out, text)
	})
	for _, body := range bodies {
		p.Add(body)
	}
	p.FlushOutcomes()
	return out
}

func callOf(id, verdict string, early bool) runfile.Call {
	return runfile.Call{ID: id, Name: id, Effective: json.RawMessage(`{}`), Verdict: verdict, Early: early}
}

func resultOf(id string) runfile.Result {
	return runfile.Result{Call: id, Result: chat.Success(1), Duration: time.Second}
}

const (
	began  = `{"event":"on_chain_start"}`
	asked  = `{"event":"on_chat_model_start"`
	said   = `{"event":"on_chat_model_stream","data":"hi"}`
	ended  = `{"event":"on_tool_end"}`
	starts = `{"event":"on_tool_start","data":"`
	failed = `{"event":"error","data":{"error":"limit","message":"m"}}`
)

func started(id string) string { return starts + id + ` with {}"}` }

// K3: the order of events, for each way in which a response and its calls can end.
func TestProjectorOrder(t *testing.T) {
	say := runfile.Response{Content: "hi", Stop: chat.StopEnd}
	broken := runfile.Response{Content: "hi", BrokenOff: "cut"}
	end := runfile.End{Exit: 6, Name: "limit", Why: "m"}
	for name, c := range map[string]struct {
		records []runfile.Body
		want    []string
	}{
		"reads run together": {
			[]runfile.Body{callOf("a", "allow", false), callOf("b", "allow", false), say, resultOf("a"), resultOf("b"), end},
			[]string{said, started("a"), started("b"), ended, ended, failed},
		},
		"a write runs alone": {
			[]runfile.Body{callOf("a", "allow", true), callOf("w", "allow", false), callOf("b", "allow", false), say, resultOf("a"),
				runfile.Intent{Call: "w"}, resultOf("w"), resultOf("b"), end},
			[]string{said, started("a"), ended, started("w"), ended, started("b"), ended, failed},
		},
		"denied": {
			[]runfile.Body{callOf("a", "deny", false), callOf("b", "ask", false), callOf("c", "ask", false), callOf("d", "ask", false), say,
				runfile.Approval{Call: "b", Approved: true}, runfile.Approval{Call: "c"}, resultOf("a"), resultOf("b"), resultOf("c"), resultOf("d"), end},
			[]string{said, started("b"), ended, failed},
		},
		"no call after all": {
			[]runfile.Body{callOf("a", "allow", true), runfile.Discarded{Call: "a"}, say, end},
			[]string{said, started("a"), ended, failed},
		},
		"broken off and repeated": {
			[]runfile.Body{callOf("a", "allow", true), broken, runfile.Discarded{Call: "a"}, runfile.Request{}, say, end},
			[]string{started("a"), ended, asked, said, failed},
		},
		"attempts, answers of the user, and repairs": {
			[]runfile.Body{runfile.Attempt{}, say, runfile.UserInput{}, runfile.Request{}, say, runfile.Answer{JSON: json.RawMessage(`{"n": 1}`)}, runfile.End{}},
			[]string{said, asked, said, `{"event":"on_chain_end","data":{"n":1}`},
		},
		"an unknown outcome": {
			[]runfile.Body{callOf("w", "allow", false), say, runfile.Intent{Call: "w"}, runfile.UnknownOutcome{Call: "w"}, end},
			[]string{said, started("w"), ended, failed},
		},
		"under way": {
			[]runfile.Body{callOf("w", "allow", false), callOf("a", "allow", false), say, runfile.Intent{Call: "w"}},
			[]string{said, started("w")},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := project(append([]runfile.Body{runfile.Run{}, runfile.Request{}}, c.records...)...)
			if diff := cmp.Diff(append([]string{began, asked}, c.want...), got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// K1: the output is an object for every result of a call.
func TestToolCall(t *testing.T) {
	search := `{"query":"q","topK":1}`
	for _, c := range []struct {
		name, input string
		result      chat.Result
		want        string
	}{
		{"x", `{"a": 1}`, chat.Result{Data: json.RawMessage(`{"b": 12345678901234567890}`)}, `{"toolType":"x","toolName":"x","input":{"a":1},"output":{"b":12345678901234567890}}`},
		{"x", `{}`, chat.Success("<s>"), `{"toolType":"x","toolName":"x","input":{},"output":{"value":"<s>"}}`},
		{"x", `{}`, chat.Success([]int{1}), `{"toolType":"x","toolName":"x","input":{},"output":{"value":[1]}}`},
		{"x", `{}`, chat.Result{}, `{"toolType":"x","toolName":"x","input":{},"output":{"value":null}}`},
		{"x", ``, chat.Failure(chat.Timeout, "late"), `{"toolType":"x","toolName":"x","input":{"value":null},"output":{"error":{"code":"TIMEOUT","message":"late","retryable":true}}}`},
		{"x", `{}`, chat.Result{Needs: []string{"a"}, Question: "q"}, `{"toolType":"x","toolName":"x","input":{},"output":{"needs":{"a":true},"question":"q"}}`},
		{"vectorSearch", search, chat.Failure(chat.Failed, "m"), `{"toolType":"vectorSearch","toolName":"vectorSearch","input":` + search + `,"output":{"error":{"code":"FAILED","message":"m","retryable":false}}}`},
		{"vectorSearch", search, chat.Success(1), `{"toolType":"other","toolName":"vectorSearch","input":` + search + `,"output":{"value":1}}`},
	} {
		call, err := newToolCall(c.name, json.RawMessage(c.input), c.result)
		if got := string(encodeCall(call)); err != nil || got != c.want {
			t.Errorf("%s %v:\n got %s %v\nwant %s", c.name, c.result, got, err, c.want)
		}
	}
}

// Calls that on_chat_model_start repeats have the size of a large input or output in its place.
func TestAbridged(t *testing.T) {
	large := json.RawMessage(`{"a":"` + strings.Repeat("x", maxRepeatedBytes) + `"}`)
	call, err := newToolCall("x", large, chat.Result{Data: large})
	if err != nil {
		t.Fatal(err)
	}
	if got := string(encodeCall(call.abridged())); got != `{"toolType":"x","toolName":"x","input":{"omitted":16392},"output":{"omitted":16392}}` {
		t.Error(got)
	}
}
