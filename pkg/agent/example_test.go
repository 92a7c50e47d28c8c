package agent_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"oneshot/pkg/agent"
	"oneshot/pkg/chat"
	"oneshot/pkg/executor"
	"oneshot/pkg/runfile"
	"oneshot/pkg/tool"
	"oneshot/prompts"
)

const definition = `
name: add
description: Add two numbers.
signature: "add(a: number, b: number): number"
examples:
  - {call: "add({a: 1, b: 2})"}
  - {call: "add(1, 2)"}
  - {call: "add({a: -1, b: 0.5})"}
effect: read
builtin: add
`

// add is a tool written in Go.
func add(_ context.Context, args json.RawMessage) (chat.Result, error) {
	var in struct{ A, B float64 }
	if err := json.Unmarshal(args, &in); err != nil {
		return chat.Result{}, err
	}
	return chat.Success(in.A + in.B), nil
}

// replies is a model with one scripted reply per request; later requests fail. For a real model use
// provider.New.
type replies []string

func (r *replies) Reply(_ context.Context, _ chat.Request, delta func(chat.Delta)) (chat.Response, error) {
	if len(*r) == 0 {
		return chat.Response{}, errors.New("the server is gone")
	}
	text := (*r)[0]
	*r = (*r)[1:]
	delta(chat.Delta{Content: text})
	return chat.Response{Content: text, Stop: chat.StopEnd}, nil
}

// sum is the configuration of a run that adds two numbers.
func sum(model replies) agent.Config {
	defs, findings := tool.Loader{Builtins: []string{"add"}}.Parse("add.yaml", []byte(definition))
	if len(findings) > 0 {
		log.Fatal(findings)
	}
	registry, _ := tool.NewRegistry(defs...)
	return agent.Config{
		GateConfig: agent.GateConfig{
			Runner: executor.New(registry, executor.Env{Funcs: map[string]executor.Func{"add": add}}),
			Tools:  registry,
			Limits: agent.DefaultLimits(),
		},
		Model:  &model,
		Texts:  prompts.FS,
		Prompt: "What is 40 plus 2?",
		Now:    time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC),
	}
}

// A complete run: definitions, a registry, tools, a model, an answer.
func Example() {
	outcome, err := agent.Run(context.Background(), sum(replies{
		"```tool\nreturn add(40, 2);\n```",
		"```tool\nreturn finalResponse();\n```",
		`{"answer": "42"}`,
	}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s after %d turns and %d call\n", outcome.Answer, outcome.Turns, len(outcome.Calls))
	// Output: {"answer": "42"} after 3 turns and 1 call
}

// finish ends the record of a run.
func finish(w *runfile.Writer, outcome agent.Outcome, err error) error {
	end := runfile.End{Name: "ok", Turns: outcome.Turns, Calls: len(outcome.Calls), Usage: outcome.Usage, Cost: outcome.Cost}
	if err != nil {
		end.Exit, end.Name, end.Why = 1, "failed", err.Error()
	}
	return errors.Join(err, w.Append(end), w.Sync(), w.Close())
}

// A run whose server fails in the second turn is recorded, and continues with another server. A finished run is not repeated.
func ExampleResume() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "run.jsonl")
	start := func() error {
		cfg := sum(replies{"```tool\nreturn add(40, 2);\n```"})
		cfg.ID = runfile.NewID(time.Now(), rand.Uint64())
		cfg.Seed = sha256.Sum256([]byte(cfg.ID))
		record, err := cfg.RunRecord()
		if err != nil {
			return err
		}
		w, err := runfile.Create(path, record)
		if err != nil {
			return err
		}
		cfg.Recorder = w
		outcome, err := agent.Run(context.Background(), cfg)
		return finish(w, outcome, err)
	}
	resume := func() (agent.Outcome, error) {
		w, log, err := runfile.Open(path)
		if err != nil {
			return agent.Outcome{}, err
		}
		cfg := sum(replies{"```tool\nreturn finalResponse();\n```", `{"answer": "42"}`})
		resumed, err := agent.Resume(log, &cfg)
		if err == nil {
			err = w.Append(resumed)
		}
		if err != nil {
			return agent.Outcome{}, errors.Join(err, w.Close())
		}
		cfg.Recorder = w
		outcome, err := agent.Run(context.Background(), cfg)
		return outcome, finish(w, outcome, err)
	}
	fmt.Println(start())
	outcome, err := resume()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s after %d turns and %d call\n", outcome.Answer, outcome.Turns, len(outcome.Calls))
	_, err = resume()
	fmt.Println(err)
	// Output:
	// the server is gone
	// {"answer": "42"} after 3 turns and 1 call
	// the run has already finished
}

// A single call passes the same checks as a call of a run.
func ExampleGate() {
	gate := agent.NewGate(sum(nil).GateConfig)
	inv, err := gate.Admit(chat.Call{Name: "add", Arguments: []byte(`{"a": 40, "b": 2}`), Executable: true})
	if err != nil {
		log.Fatal(err)
	}
	result, err := gate.Finish(context.Background(), inv)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s by %s: %s\n", inv.Decision().Verdict, inv.Decision().Rule, result.Data)
	// Output: allow by default:read: 42
}
