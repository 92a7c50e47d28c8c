package cmd

import (
	"testing"
	"testing/synctest"
	"time"

	"oneshot/pkg/agent"
	"oneshot/pkg/chat"
)

// The line is redrawn every second and at each step, and hide removes it and ends the goroutine.
func TestRunStatus(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		env, _, stderr := testEnv()
		c := newConsole(env)
		s := newRunStatus(c, "ollama/m", time.Now())
		expect := func(want string) {
			t.Helper()
			synctest.Wait()
			c.live.mu.Lock() // the line is drawn under it
			defer c.live.mu.Unlock()
			if stderr.String() != want {
				t.Errorf("%q, want %q", stderr, want)
			}
			stderr.Reset()
		}
		line := func(text string) string { return noWrap + "oneshot: ollama/m, turn 1: " + text + wrap }
		redrawn := func(text string) string { return eraseLine + line(text) }
		hide := s.show()
		time.Sleep(statusInterval * 3 / 2)
		expect("") // no turn has begun
		s.observe(agent.Event{Kind: agent.EventRequest, Turn: 1, Purpose: chat.PurposeTurn})
		expect(line("waiting for the model, 1s"))
		time.Sleep(2 * statusInterval)
		expect(redrawn("waiting for the model, 2s") + redrawn("waiting for the model, 3s"))
		s.observe(agent.Event{Kind: agent.EventText, Turn: 1, Text: "a"})
		s.observe(agent.Event{Kind: agent.EventText, Turn: 1, Text: "b"})
		expect(redrawn("receiving the response, 3s"))
		s.observe(agent.Event{Kind: agent.EventStart, Turn: 1, Call: agent.CallReport{ID: "c1", Tool: "file_read"}}) // a read can start early
		expect(redrawn("receiving the response, 3s"))
		s.observe(agent.Event{Kind: agent.EventReply, Turn: 1, TotalUsage: chat.Usage{InputTokens: 100, OutputTokens: 20}, TotalCost: chat.Cost{Amount: 5000, Known: true}})
		s.observe(agent.Event{Kind: agent.EventStart, Turn: 1, Call: agent.CallReport{ID: "c2", Tool: "wget"}})
		s.observe(agent.Event{Kind: agent.EventResult, Turn: 1, Call: agent.CallReport{ID: "c1", Tool: "file_read"}})
		s.observe(agent.Event{Kind: agent.EventDropped, Turn: 1, Call: agent.CallReport{ID: "c2", Tool: "wget"}})
		const spent = ", 3s, 120 tokens, $0.000005"
		expect(redrawn("running file_read"+spent) + redrawn("running 2 calls"+spent) + redrawn("running wget"+spent) + redrawn("working"+spent))
		hide()
		time.Sleep(2 * statusInterval)
		expect(eraseLine)
	})
}

// A terminal of 50 columns gets a line of at most 50.
func TestRunStatusWidth(t *testing.T) {
	env, _, stderr := testEnv()
	env.Terminal = true
	env.Getenv = func(name string) string { return map[string]string{"COLUMNS": "50"}[name] }
	newRunStatus(newConsole(env), "openrouter/a-model-with-a-long-name", time.Now()).observe(agent.Event{Kind: agent.EventRequest, Turn: 1})
	if want := noWrap + "oneshot: openrouter/a-model-with-a-long-name, tur…" + wrap; stderr.String() != want {
		t.Errorf("%q, want %q", stderr, want)
	}
}
