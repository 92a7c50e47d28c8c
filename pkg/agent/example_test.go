package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"time"

	"oneshot/pkg/agent"
	"oneshot/pkg/chat"
	"oneshot/pkg/executor"
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

// replies is a model with scripted replies, one per request. For a real model use model.New.
type replies []string

func (r *replies) Reply(_ context.Context, _ chat.Request, delta func(chat.Delta)) (chat.Response, error) {
	text := (*r)[0]
	*r = (*r)[1:]
	delta(chat.Delta{Content: text})
	return chat.Response{Content: text, Stop: chat.StopEnd}, nil
}

// A complete run: definitions, a registry, tools, a model, an answer.
func Example() {
	defs, findings := tool.Loader{Builtins: []string{"add"}}.Parse("add.yaml", []byte(definition))
	if len(findings) > 0 {
		log.Fatal(findings)
	}
	registry, _ := tool.NewRegistry(defs...)
	model := replies{
		"```tool\nreturn add(40, 2);\n```",
		"```tool\nreturn finalResponse();\n```",
		`{"answer": "42"}`,
	}
	outcome, err := agent.Run(context.Background(), agent.Config{
		GateConfig: agent.GateConfig{
			Runner: executor.New(registry, executor.Env{Funcs: map[string]executor.Func{"add": add}}),
			Tools:  registry,
			Limits: agent.DefaultLimits(),
		},
		Model:  &model,
		Texts:  prompts.FS,
		Prompt: "What is 40 plus 2?",
		Now:    time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC),
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s after %d turns and %d call\n", outcome.Answer, outcome.Turns, len(outcome.Calls))
	// Output: {"answer": "42"} after 3 turns and 1 call
}
