//go:build unix

package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/dialect"
	"oneshot/pkg/prompt"
	"oneshot/pkg/tool"
	"oneshot/prompts"
	"oneshot/tooldefs"
)

// The maximum length of tool definitions in a prompt, relative to the same definitions as functions in JSON.
const plainGoal, exampleGoal = 0.45, 0.60

// measurePromptSize measures B8: how long the shipped definitions are in the prompt of the dialect tool, without examples and with
// one of each, against the same definitions as functions in JSON, as a provider is sent them and as chat templates write
// them.
func (b *Bench) measurePromptSize(ctx context.Context, _ programs) (rows []Row, err error) {
	defs, _, err := tool.Loader{}.Load(tooldefs.FS, ".")
	if err != nil {
		return nil, err
	}
	functions, err := functionJSON(defs)
	if err != nil {
		return nil, err
	}
	plain, example, err := snippetParts(defs)
	if err != nil {
		return nil, err
	}
	peers := b.startPeers(ctx)
	defer func() { err = errors.Join(err, peers.Close()) }()
	for _, form := range []struct {
		what, text string
		goal       float64
	}{{"without examples", plain, plainGoal}, {"with one example each", plain + example, exampleGoal}} {
		for _, f := range functions {
			row := Row{ID: "B8", What: fmt.Sprintf("%d shipped tools in a prompt, %s", len(defs), form.what), Against: f.name}
			if row.Value, row.Unit, err = peers.countTokens(form.text); err != nil {
				return nil, err
			}
			if row.Base, _, err = peers.countTokens(f.text); err != nil {
				return nil, err
			}
			if peers.cmd != nil {
				row = row.withGoal(fmt.Sprintf("≤ %.2f×", form.goal), row.Value <= form.goal*row.Base)
			}
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// countTokens counts the tokens of a text, and names the unit. Without a tokenizer it estimates
// them, which is too high for indented text: then no goal applies.
func (p *peers) countTokens(text string) (float64, string, error) {
	if p.cmd == nil {
		return float64(prompt.EstimateTokens(text)), "tokens, by bytes", nil
	}
	reply, err := p.request("o200k", []byte(text), 0)
	return float64(reply.Calls), "tokens", err
}

// A spelling is one way to write functions in JSON.
type spelling struct{ name, text string }

// functionJSON returns definitions as functions, in each spelling.
func functionJSON(defs []*tool.Definition) ([]spelling, error) {
	type function struct {
		Type     string `json:"type"`
		Function any    `json:"function"`
	}
	var list []function
	for _, f := range prompt.Functions(defs) {
		list = append(list, function{"function", f})
	}
	var compact, indented bytes.Buffer
	enc := json.NewEncoder(&compact)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(list); err != nil {
		return nil, err
	}
	if err := json.Indent(&indented, compact.Bytes(), "", "    "); err != nil {
		return nil, err
	}
	spaced, err := jsontext.AppendFormat(nil, compact.Bytes(), jsontext.SpaceAfterColon(true), jsontext.SpaceAfterComma(true))
	return []spelling{
		{"function JSON without blanks", compact.String()},
		{"function JSON as Hermes and Qwen templates write it", string(spaced)},
		{"function JSON as Llama 3 templates write it", indented.String()},
	}, err
}

// snippetParts returns definitions as in a system prompt, and the additional text of one example
// each.
func snippetParts(defs []*tool.Definition) (functions, examples string, err error) {
	texts, err := prompt.Load(prompts.FS)
	if err != nil {
		return "", "", err
	}
	d, _ := dialect.Lookup("tool")
	show := func(n int) string {
		for _, def := range defs {
			def.PromptExamples = &n
		}
		return texts.System("", defs, d)
	}
	plain, all := show(0), show(1)
	_, functions, begun := strings.Cut(plain, "```ts\n")
	functions, _, ended := strings.Cut(functions, "\n```\n")
	same := 0
	for same < len(plain) && plain[same] == all[same] {
		same++
	}
	if examples = all[same : same+len(all)-len(plain)]; !begun || !ended || !strings.HasSuffix(all, plain[same:]) {
		return "", "", errors.New("the prompt has another form")
	}
	return functions, examples, nil
}
