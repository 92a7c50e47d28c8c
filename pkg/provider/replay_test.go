package provider_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"oneshot/pkg/chat"
	"oneshot/pkg/provider"
	"oneshot/pkg/runfile"
)

// A tape is a run that is being recorded.
type tape struct {
	log      runfile.Log
	messages []chat.Message
	tools    []chat.Function
	params   map[string]json.RawMessage
}

func (t *tape) add(bodies ...runfile.Body) {
	for _, b := range bodies {
		t.log.Records = append(t.log.Records, runfile.Record{Header: runfile.Header{Seq: len(t.log.Records) + 1, Kind: b.Kind()}, Body: b})
	}
}

// request records a request with new messages, and returns the complete request.
func (t *tape) request(turn int, purpose chat.Purpose, format json.RawMessage, messages ...chat.Message) chat.Request {
	t.messages = append(t.messages, messages...)
	req := chat.Request{Purpose: purpose, System: "Be kind.", Messages: t.messages[:len(t.messages):len(t.messages)], Tools: t.tools, Format: format, Params: t.params}
	body := runfile.Request{Turn: turn, Purpose: purpose, Messages: messages, Format: format, Digest: provider.Digest(req)}
	if turn == 1 {
		body.System, body.Tools = req.System, req.Tools
	}
	t.add(body)
	return req
}

func user(text string) chat.Message      { return chat.Message{Role: chat.User, Content: text} }
func assistant(text string) chat.Message { return chat.Message{Role: chat.Assistant, Content: text} }

// record returns a run of two turns, and its requests.
func record() (*tape, []chat.Request) {
	t := &tape{params: map[string]json.RawMessage{"seed": json.RawMessage("7")}}
	t.add(runfile.Run{ID: "r", Params: t.params})
	first := t.request(1, chat.PurposeTurn, nil, user("one\ntwo\nthree"))
	t.add(
		runfile.Attempt{Turn: 1, Attempt: chat.Attempt{Number: 1, Error: "busy", Status: 503, Wait: 1e9}},
		runfile.Response{Turn: 1, Content: "f()", Reasoning: "hm", Stop: chat.StopEnd, Usage: chat.Usage{InputTokens: 5, OutputTokens: 1}, Model: "parrot"},
		runfile.Call{Turn: 1, ID: "c1", Name: "f"},
		runfile.Result{Call: "c1"},
	)
	second := t.request(2, chat.PurposeAnswer, json.RawMessage(`{"type":"object"}`), assistant("f()"), user("result"))
	t.add(runfile.Response{Turn: 2, Content: "{}", Stop: chat.StopLength, Calls: []chat.Call{{Name: "g"}}})
	return t, []chat.Request{first, second}
}

// replay returns a replay of a tape.
func replay(t *testing.T, tape *tape) *provider.Replay {
	t.Helper()
	p, err := provider.NewReplay("run.jsonl", &tape.log)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestReplay(t *testing.T) {
	tape, requests := record()
	p := replay(t, tape)
	got := ask(t.Context(), p, requests[0])
	want := chat.Response{Content: "f()", Reasoning: "hm", Stop: chat.StopEnd, Usage: chat.Usage{InputTokens: 5, OutputTokens: 1}, Model: "parrot"}
	if diff := cmp.Diff(want, got.resp); diff != "" || got.err != nil {
		t.Errorf("error %v, response (-want +got):\n%s", got.err, diff)
	}
	if diff := cmp.Diff([]chat.Attempt{{Number: 1, Error: "busy", Status: 503, Wait: 1e9}}, got.attempts); diff != "" || got.text != "f()" {
		t.Errorf("heard %q, attempts (-want +got):\n%s", got.text, diff)
	}
	got = ask(t.Context(), p, requests[1])
	if want := (chat.Response{Content: "{}", Stop: chat.StopLength, Calls: []chat.Call{{Name: "g"}}}); cmp.Diff(want, got.resp) != "" || got.err != nil {
		t.Errorf("%+v", got)
	}
	got = ask(t.Context(), p, requests[1])
	if got.err == nil || got.err.Error() != "replay of run.jsonl: the run makes more requests than the recorded one, which was interrupted here" {
		t.Errorf("error %v", got.err)
	}
}

// A request that differs from the recorded one is an error with the first difference.
func TestReplayDifference(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*chat.Request)
		want   string
	}{
		{"line", func(r *chat.Request) { r.Messages[0].Content = "one\nzwei\nzwo\nthree" }, "message 1 (user), line 2:\n- two\n+ zwei\n+ zwo"},
		{"line less", func(r *chat.Request) { r.Messages[0].Content = "one\ntwo" }, "message 1 (user), line 3:\n- three"},
		{"later message", func(r *chat.Request) { r.Messages[2].Content += " is new" }, "message 3 (user), line 1:\n- result\n+ result is new"},
		{"role", func(r *chat.Request) { r.Messages[1].Role = chat.User }, "role of message 2, line 1:\n- assistant\n+ user"},
		{"more messages", func(r *chat.Request) { r.Messages = append(r.Messages, user("and?")) }, "message 4 (user) is new:\n+ and?"},
		{"empty message", func(r *chat.Request) { r.Messages = append(r.Messages, user("")) }, "message 4 (user) is new:"},
		{"fewer messages", func(r *chat.Request) { r.Messages = r.Messages[:2] }, "message 3 (user) is missing:\n- result"},
		{"system", func(r *chat.Request) { r.System = "Be brief." }, "system prompt, line 1:\n- Be kind.\n+ Be brief."},
		{"purpose", func(r *chat.Request) { r.Purpose = chat.PurposeTurn }, "purpose, line 1:\n- answer\n+ turn"},
		{"any JSON", func(r *chat.Request) { r.Format, r.AnyJSON = nil, true }, "format, line 1:\n- {\"type\":\"object\"}\n+ any JSON"},
		{"new tool", func(r *chat.Request) { r.Tools = []chat.Function{{Name: "f"}} }, "tool f is new"},
		{"calls", func(r *chat.Request) {
			r.Messages[1].Calls = []chat.Call{{ID: "c1", Name: "f", Arguments: json.RawMessage("{ }")}}
		}, "calls of message 2 (assistant), line 1:\n+ c1 f {}\n+ "},
		{"answered call", func(r *chat.Request) { r.Messages[2].CallID = "c1" }, "calls of message 3 (user), line 1:\n+ to c1 \n+ "},
		{"native form", func(r *chat.Request) {
			r.Messages[1].Native = &chat.Native{API: "chat", Model: "p/m", Body: json.RawMessage("{}")}
		}, "native form of message 2 (assistant), line 1:\n+ chat p/m\n+ {}"},
		{"format", func(r *chat.Request) { r.Format = nil }, "format, line 1:\n- {\"type\":\"object\"}"},
		{"spaces", func(r *chat.Request) { r.Format = json.RawMessage(`{"type": "object"}`) }, "the recorded content is the same; only the whitespace of its JSON differs"},
		{"parameters", func(r *chat.Request) {
			r.Params = map[string]json.RawMessage{"num_ctx": json.RawMessage("4096"), "seed": json.RawMessage("8")}
		}, "parameter num_ctx, line 1:\n+ 4096\nparameter seed, line 1:\n- 7\n+ 8"},
		{"many lines", func(r *chat.Request) { r.Messages[2].Content = strings.Repeat("x\n", 20) },
			"message 3 (user), line 1:\n- result\n" + strings.Repeat("+ x\n", 8) + "+ … 13 more"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tape, requests := record()
			p := replay(t, tape)
			if got := ask(t.Context(), p, requests[0]); got.err != nil {
				t.Fatal(got.err)
			}
			req := requests[1]
			req.Messages = append([]chat.Message{}, req.Messages...)
			tt.change(&req)
			got := ask(t.Context(), p, req)
			var fault *provider.ReplayError
			if !errors.As(got.err, &fault) || fault.Turn != 2 || got.text != "" || got.attempts != nil {
				t.Fatalf("%+v", got)
			}
			if diff := cmp.Diff(tt.want, fault.Diff); diff != "" {
				t.Errorf("difference (-want +got):\n%s", diff)
			}
			if !strings.HasPrefix(got.err.Error(), "replay of run.jsonl: turn 2: the request differs from the recorded one:\n") {
				t.Errorf("error %q", got.err)
			}
		})
	}
}

// The difference in a long line is shown with its surroundings.
func TestReplayDifferenceInALongLine(t *testing.T) {
	tape := &tape{}
	tape.add(runfile.Run{})
	req := tape.request(1, chat.PurposeTurn, nil, user(strings.Repeat("ü", 1000)+"a"))
	req.Messages = []chat.Message{user(strings.Repeat("ü", 1000) + "b")}
	var fault *provider.ReplayError
	same := "…" + strings.Repeat("ü", 30)
	if got := ask(t.Context(), replay(t, tape), req); !errors.As(got.err, &fault) || fault.Diff != "message 1 (user), line 1:\n- "+same+"a\n+ "+same+"b" {
		t.Errorf("error %v", got.err)
	}
}

// A recorded request without a response has none in the replay, either. The replay ends like the
// run, if the record has its end.
func TestReplayOfAFailedRequest(t *testing.T) {
	tape, requests := record()
	third := tape.request(3, chat.PurposeAnswer, nil, assistant("{}"), user("again"))
	tape.add(runfile.Attempt{Turn: 3, Attempt: chat.Attempt{Number: 1}}, runfile.End{Exit: 5, Why: "model server: status 503"})
	p := replay(t, tape)
	ask(t.Context(), p, requests[0])
	ask(t.Context(), p, requests[1])
	got := ask(t.Context(), p, third)
	want := &provider.RecordedEndError{File: "run.jsonl", End: runfile.End{Exit: 5, Why: "model server: status 503"}}
	if diff := cmp.Diff(want, got.err); diff != "" || len(got.attempts) != 1 {
		t.Errorf("%+v (-want +got):\n%s", got, diff)
	}
	tape.log.Records = tape.log.Records[:len(tape.log.Records)-1] // killed
	p = replay(t, tape)
	ask(t.Context(), p, requests[0])
	ask(t.Context(), p, requests[1])
	if got := ask(t.Context(), p, third); !isExactly(got.err, new(*provider.ReplayError)) {
		t.Errorf("%+v", got)
	}
}

// A replay of a run that an interrupt, a timeout or a failed write ended between two requests ends there
// with the recorded end. After any other recorded end a further request is a ReplayError.
func TestReplayBehindTheEnd(t *testing.T) {
	for exit, want := range map[int]any{130: new(*provider.RecordedEndError), 124: new(*provider.RecordedEndError), 6: new(*provider.ReplayError), 0: new(*provider.ReplayError)} {
		tape, requests := record()
		tape.add(runfile.End{Exit: exit, Why: "interrupted"})
		p := replay(t, tape)
		for _, r := range requests {
			ask(t.Context(), p, r)
		}
		if got := ask(t.Context(), p, requests[0]); !isExactly(got.err, want) {
			t.Errorf("exit %d: %+v", exit, got)
		}
	}
}

// A rejected format is rejected again, so that the run takes the same course.
func TestReplayOfARefusedFormat(t *testing.T) {
	tape := &tape{}
	tape.add(runfile.Run{})
	first := tape.request(1, chat.PurposeAnswer, json.RawMessage(`{}`), user("Hi"))
	second := tape.request(2, chat.PurposeAnswer, nil)
	tape.add(runfile.Response{Turn: 2, Content: "{}", Stop: chat.StopEnd})
	p := replay(t, tape)
	if got := ask(t.Context(), p, first); !errors.As(got.err, new(*provider.FormatError)) {
		t.Errorf("error %v", got.err)
	}
	if got := ask(t.Context(), p, second); got.err != nil || got.text != "{}" {
		t.Errorf("%+v", got)
	}
}

// Rejected tools are rejected again.
func TestReplayOfRefusedTools(t *testing.T) {
	tape := &tape{tools: []chat.Function{{Name: "f", Description: "one", Parameters: json.RawMessage(`{ }`)}}}
	tape.add(runfile.Run{})
	first := tape.request(1, chat.PurposeTurn, nil, user("Hi"))
	tape.tools, tape.messages = nil, nil
	second := tape.request(1, chat.PurposeTurn, nil, user("Hi"))
	tape.add(runfile.Response{Turn: 2, Content: "Hello", Stop: chat.StopEnd})
	p := replay(t, tape)
	if got := ask(t.Context(), p, first); !isExactly(got.err, noTools) {
		t.Errorf("error %v", got.err)
	}
	if got := ask(t.Context(), p, second); got.err != nil || got.text != "Hello" {
		t.Errorf("%+v", got)
	}
}

// A changed tool is reported.
func TestReplayOfOtherTools(t *testing.T) {
	tool := func(name, description string) []chat.Function {
		return []chat.Function{{Name: name, Description: description, Parameters: json.RawMessage(`{}`)}}
	}
	for want, now := range map[string][]chat.Function{
		"tool 1 (f), line 2:\n- one\n+ two": tool("f", "two"),
		"tool f is missing":                 nil,
		"tool 1 (g), line 1:\n- f\n+ g":     tool("g", "one"),
	} {
		tape := &tape{tools: tool("f", "one")}
		tape.add(runfile.Run{})
		req := tape.request(1, chat.PurposeTurn, nil, user("Hi"))
		req.Tools = now
		var fault *provider.ReplayError
		if got := ask(t.Context(), replay(t, tape), req); !errors.As(got.err, &fault) || fault.Diff != want {
			t.Errorf("error %v, want %q", got.err, want)
		}
	}
}

// The steps from a format to any JSON and to no format are replayed.
func TestReplayOfALadder(t *testing.T) {
	tape := &tape{}
	tape.add(runfile.Run{})
	first := tape.request(1, chat.PurposeAnswer, json.RawMessage(`{}`), user("Hi"))
	second := first
	second.Format, second.AnyJSON = nil, true
	tape.add(runfile.Request{Turn: 2, Purpose: chat.PurposeAnswer, AnyJSON: true, Digest: provider.Digest(second)})
	third := tape.request(3, chat.PurposeAnswer, nil)
	tape.add(runfile.Response{Turn: 3, Content: "{}", Stop: chat.StopEnd})
	p := replay(t, tape)
	for _, req := range []chat.Request{first, second} {
		if got := ask(t.Context(), p, req); !isExactly(got.err, noFormat) {
			t.Errorf("error %v", got.err)
		}
	}
	if got := ask(t.Context(), p, third); got.err != nil || got.text != "{}" {
		t.Errorf("%+v", got)
	}
}

// A response that broke off is replayed as far as it was recorded.
func TestReplayOfABrokenResponse(t *testing.T) {
	tape := &tape{}
	tape.add(runfile.Run{})
	req := tape.request(1, chat.PurposeTurn, nil, user("Hi"))
	native := &chat.Native{API: "chat", Model: "p/m", Body: json.RawMessage(`{}`)}
	tape.add(runfile.Response{Turn: 1, Content: "Hel", BrokenOff: "cut off"})
	again := tape.request(2, chat.PurposeTurn, nil)
	tape.add(runfile.Response{Turn: 2, Content: "Hello", Calls: []chat.Call{{Name: "f"}, {Name: "g"}}, Native: native, Stop: chat.StopEnd})
	p := replay(t, tape)
	if got := ask(t.Context(), p, req); !isExactly(got.err, new(*provider.BrokenOffError)) || got.err.Error() != "model server: cut off" || got.text != "Hel" || got.resp.Content != "Hel" {
		t.Errorf("%+v", got)
	}
	tape.log.Records = tape.log.Records[:3] // killed after it
	var fault *provider.ReplayError
	if got := ask(t.Context(), replay(t, tape), req); !errors.As(got.err, &fault) || !fault.Interrupted || got.text != "Hel" {
		t.Errorf("%+v", got)
	}
	tape.add(runfile.End{Exit: 5, Why: "cut off"})
	if got := ask(t.Context(), replay(t, tape), req); !isExactly(got.err, new(*provider.RecordedEndError)) || got.text != "Hel" {
		t.Errorf("%+v", got)
	}
	var calls []string
	resp, err := p.Reply(t.Context(), again, func(d chat.Delta) {
		if d.Call != nil {
			calls = append(calls, d.Call.Name)
		}
	})
	if diff := cmp.Diff([]string{"f", "g"}, calls); diff != "" || err != nil || resp.Native != native || len(resp.Calls) != 2 {
		t.Errorf("error %v, response %+v, calls (-want +got):\n%s", err, resp, diff)
	}
}

// A resumed run repeats its last request, which the replay expects only once.
func TestReplayOfAResumedRun(t *testing.T) {
	tape := &tape{}
	tape.add(runfile.Run{})
	req := tape.request(1, chat.PurposeTurn, nil, user("Hi"))
	tape.add(runfile.Attempt{Turn: 1, Attempt: chat.Attempt{Number: 1}})
	tape.add(tape.log.Records[1].Body, runfile.Response{Turn: 1, Content: "Hello", Stop: chat.StopEnd})
	second := tape.request(2, chat.PurposeTurn, nil, assistant("Hello"), user("Bye"))
	tape.add(runfile.Response{Turn: 2, Content: "Bye", Stop: chat.StopEnd})
	p := replay(t, tape)
	if got := ask(t.Context(), p, req); got.err != nil || got.text != "Hello" || got.attempts != nil {
		t.Errorf("%+v", got)
	}
	if got := ask(t.Context(), p, second); got.err != nil || got.text != "Bye" {
		t.Errorf("%+v", got)
	}
}

func TestReplayOfNothing(t *testing.T) {
	for _, log := range []*runfile.Log{{}, {Records: []runfile.Record{{Body: runfile.Attempt{}}, {Body: runfile.Response{}}}}} {
		if _, err := provider.NewReplay("run.jsonl", log); err == nil || err.Error() != "replay of run.jsonl: the run file has no requests" {
			t.Errorf("error %v", err)
		}
	}
}

// V7: the replay stops at once and returns the cause.
func TestReplayCancelled(t *testing.T) {
	why := errors.New("enough")
	tape, requests := record()
	ctx, cancel := context.WithCancelCause(t.Context())
	p := replay(t, tape)
	_, err := p.Reply(ctx, requests[0], func(d chat.Delta) {
		if d.Content != "" {
			cancel(why)
		}
	})
	if err != why {
		t.Errorf("error %v in the response", err)
	}
	if got := ask(ctx, p, requests[1]); got.err != why {
		t.Errorf("error %v before the request", got.err)
	}
}
