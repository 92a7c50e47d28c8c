package cmd

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"oneshot/pkg/agent"
	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/policy"
	"oneshot/pkg/runner"
	"oneshot/pkg/tool"
)

// toolsCallOptions are the flags of "oneshot tools call".
type toolsCallOptions struct {
	env     Env
	talk    *talk
	tools   toolOptions
	confine confineOptions
	args    string
	allow   []string
}

func newToolsCall(env Env, t *talk) *cobra.Command {
	o := &toolsCallOptions{env: env, talk: t}
	c := &cobra.Command{
		Use:   "call [flags] NAME",
		Short: "Run one tool as a run would, and print its result",
		Long: `Call checks the arguments, asks the policy and runs one tool. The result is the
envelope that a model would read, on stdout.

Exit 0 means that the tool succeeded, 1 that it or its arguments failed, 7 that
the call was denied, 8 that the tool needs more.`,
		Example: `  oneshot tools call vault_search --root testdata/vault --args '{"query": "battery", "limit": 2}'
  oneshot tools call file_read --root testdata/vault --args '{"filePaths": ["Ideas/Battery budget.md"]}'`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error { return o.run(c.Context(), args[0]) },
	}
	o.tools.flags(c.Flags())
	o.confine.flags(c.Flags())
	c.Flags().StringVar(&o.args, "args", "{}", "arguments as a `JSON` object; @FILE reads a file, - reads stdin")
	c.Flags().StringArrayVar(&o.allow, "allow", nil, "`GLOB` of tools that may change things, e.g. --allow file_put")
	return c
}

// run is the command. What the caller got wrong is found before anything runs.
func (o *toolsCallOptions) run(ctx context.Context, name string) error {
	if bad := policy.CheckGlobs(o.allow); bad != "" {
		return usagef("", "--allow: %q is not a valid glob", bad)
	}
	registry, err := o.tools.load(o.env, o.talk)
	if err != nil {
		return err
	}
	def, err := callable(registry, name)
	if err != nil {
		return err
	}
	args, err := o.arguments(ctx)
	if err != nil {
		return err
	}
	env, release, err := o.confine.open(ctx, o.env, o.talk)
	if err != nil {
		return err
	}
	defer release()
	result, end := o.call(ctx, def, args, runner.New(registry, runner.Builtins(env)))
	if result != nil {
		if err := printResult(o.talk, *result); err != nil {
			return err
		}
	}
	return end
}

// callable returns the definition of a tool that can be run.
func callable(registry *tool.Registry, name string) (*tool.Definition, error) {
	def, ok := registry.Get(name)
	switch {
	case !ok:
		return nil, noTool(name, registry)
	case tool.Ending(name) == def:
		return nil, usagef("", "%s ends a run; there is nothing to call", name)
	}
	return def, nil
}

// noTool is the error of a name that no tool has.
func noTool(name string, registry *tool.Registry) error {
	hint := "oneshot tools list shows the names"
	if near := registry.Suggest(name); near != "" {
		hint = "did you mean " + near + "?"
	}
	return usagef(hint, "tools: there is none named %q", name)
}

// arguments reads the arguments of the call: strict JSON, an object.
func (o *toolsCallOptions) arguments(ctx context.Context) (jsontext.Value, error) {
	text, err := []byte(o.args), error(nil)
	switch path, isFile := strings.CutPrefix(o.args, "@"); {
	case isFile:
		text, err = readFile(path)
	case o.args == "-":
		text, err = readStdin(ctx, o.env)
	}
	if err != nil {
		return nil, err
	}
	const hint = `for example --args '{"query": "battery"}'`
	var args jsontext.Value
	if err := json.Unmarshal(text, &args); err != nil {
		return nil, usagef(hint, "--args is not JSON: %w", err)
	}
	if args.Kind() != '{' {
		return nil, usagef(hint, "--args has to be a JSON object")
	}
	return args, nil
}

// call runs a tool unless its arguments or the policy forbid that. The error
// says how the command ends; the result is nil when the call was interrupted.
func (o *toolsCallOptions) call(ctx context.Context, def *tool.Definition, args jsontext.Value, r *runner.Runner) (*chat.Result, error) {
	call := chat.Call{Name: def.Name, Arguments: []byte(args), Status: chat.StatusOK, Executable: true}
	if faults := def.Check(call.Arguments); len(faults) > 0 {
		result := chat.Failure(chat.InvalidArguments, "%s", messages(faults))
		return &result, ending(def, result)
	}
	d := policy.Rules{Allow: o.allow}.Decide(policy.Facts{Tool: def.Name, Effect: def.Effect, Scopes: def.Scopes})
	if d.Verdict != policy.Allow {
		result := chat.Failure(chat.Denied, "%s", d.Why)
		return &result, &agent.DeniedError{Tool: def.Name, Why: d.Why, Hint: d.Hint}
	}
	result, err := r.Run(ctx, chat.Execution{Call: call})
	if err != nil {
		return nil, err
	}
	return &result, ending(def, result)
}

func messages(findings []diag.Finding) string {
	lines := make([]string, len(findings))
	for i, f := range findings {
		lines[i] = f.Message
	}
	return strings.Join(lines, "; ")
}

// ending says how the command ends that has this result, nil for success.
func ending(def *tool.Definition, r chat.Result) error {
	switch {
	case len(r.Needs) > 0:
		return &agent.NeedsError{Needs: agent.Needs{Tool: def.Name, Fields: r.Needs, Question: r.Question}}
	case r.Error != nil:
		return &findingsError{fmt.Sprintf("%s: %s: %s", def.Name, r.Error.Code, r.Error.Message)}
	}
	return nil
}

func printResult(t *talk, r chat.Result) error {
	envelope, err := r.MarshalJSON()
	if err != nil {
		return err
	}
	_, err = t.out.Write(append(envelope, '\n'))
	return err
}
