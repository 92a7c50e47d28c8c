package cmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"oneshot/pkg/agent"
	"oneshot/pkg/chat"
	"oneshot/pkg/diag/report"
	"oneshot/pkg/prompt"
	"oneshot/pkg/tool"
)

// promptCommand holds the flags of "oneshot prompt".
type promptCommand struct {
	env     Env
	console *console
	options
}

func newPrompt(env Env, t *console) *cobra.Command {
	o := &promptCommand{env: env, console: t}
	c := &cobra.Command{
		Use:   "prompt [flags]",
		Short: "Print the system prompt for a set of tools",
		Long: `Prompt prints the system prompt for these tools, and estimates its tokens on stderr.
With --dialect native it prints a JSON document with the system prompt and the
function definitions. oneshot run --dry-run prints the exact request of a run.`,
		Example: `  oneshot prompt --tool 'vault_*' --system testdata/readme/editor.md
  oneshot prompt --tool wget --dialect native`,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := o.fillFromAgent(env, t, c.Flags(), forPrompt); err != nil {
				return err
			}
			defer t.noteUnusedStdin(env, o.prompt.system)
			return o.run(c.Context())
		},
	}
	o.define(c, env, forPrompt)
	return c
}

func (o *promptCommand) run(ctx context.Context) error {
	cfg := agent.Config{Texts: o.env.Prompts, Native: o.model.dialect == native}
	var err error
	if cfg.Dialect, err = taughtFlag(o.model.dialect); err != nil {
		return err
	}
	if cfg.Tools, err = o.tools.forPrompt(o.env, o.console); err != nil {
		return err
	}
	texts, err := o.prompt.loadInstructions(ctx, o.env)
	if err != nil {
		return err
	}
	cfg.System = texts.system
	cfg.AskUser = true
	text, err := cfg.SystemPrompt()
	if err != nil {
		return err
	}
	if cfg.Native {
		if text, err = renderForNativeCalls(text, prompt.Functions(append(cfg.Tools.All(), tool.AskUser))); err != nil {
			return err
		}
	}
	if _, err := fmt.Fprintln(o.console.out, o.console.forStdout(text)); err != nil {
		return err
	}
	o.console.note("about %d tokens", prompt.EstimateTokens(text))
	return nil
}

// A functionDoc is a function in the format of OpenAI.
type functionDoc struct {
	Type     string        `json:"type"` // "function"
	Function chat.Function `json:"function"`
}

// renderForNativeCalls renders the system prompt and functions of a model with native calls.
func renderForNativeCalls(system string, functions []chat.Function) (string, error) {
	doc := struct {
		System string        `json:"system"`
		Tools  []functionDoc `json:"tools"`
	}{system, nil}
	for _, f := range functions {
		doc.Tools = append(doc.Tools, functionDoc{"function", f})
	}
	var b strings.Builder
	err := report.JSON(&b, doc)
	return strings.TrimSuffix(b.String(), "\n"), err
}
