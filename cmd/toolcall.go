package cmd

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"oneshot/pkg/agent"
	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/executor"
	"oneshot/pkg/policy"
	"oneshot/pkg/tool"
)

// toolsCallOptions are the flags of "oneshot tools call".
type toolsCallOptions struct {
	env     Env
	console *console
	options
	pairs []string // arguments as K=V

	programs *confined
	managed  *managedPolicy
}

func newToolsCall(env Env, t *console) *cobra.Command {
	o := &toolsCallOptions{env: env, console: t}
	c := &cobra.Command{
		Use:   "call [flags] NAME [K=V...]",
		Short: "Run one tool like a run would, and print its result",
		Long: `Call checks the arguments, applies the policy, runs one tool and prints the result
envelope that a model would get. Arguments are K=V, where V is text or the JSON of the
parameter's type, or one JSON object in --args.

With --dry-run, call prints the policy decision instead of running the tool: the
verdict, its rule and reason, and the arguments as given and as the tool would get
them. The exit code is the same.

Exit 0 means that the tool succeeded, 1 that it failed or the arguments are invalid,
4 that it lacks an authorisation, 7 that the policy or the approver denied the call,
8 that the tool needs information or the call needs approval.`,
		Example: `  oneshot tools call vault_search --root testdata/vault query=battery limit=2
  oneshot tools call file_put --policy testdata/readme/policy.yaml --dry-run --args '{"path": "out/a.md", "content": "x"}'`,
		Args: func(c *cobra.Command, args []string) error {
			return oneArgument("NAME", showsTools)(c, args[:min(1, len(args))])
		},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 1 && c.Flags().Changed("args") {
				return usagef("", "oneshot tools call: give the arguments as K=V or with --args, not both")
			}
			o.pairs = args[1:]
			return o.run(c.Context(), args[0])
		},
	}
	o.define(c, env, forCall)
	return c
}

// run is the command. It finds usage errors before anything runs.
func (o *toolsCallOptions) run(ctx context.Context, name string) error {
	if err := errors.Join(o.policy.check(), o.approve.check()); err != nil {
		return err
	}
	approver, err := o.approve.approver(o.env, o.console, "")
	if err != nil {
		return err
	}
	o.console.hideKeys(o.env)
	secrets, err := o.model.servers.secrets.load(ctx, o.env, o.console, false)
	if err != nil {
		return causeOr(ctx, err)
	}
	registry, err := o.tools.load(o.env, o.console)
	if err != nil {
		return err
	}
	def, err := findCallable(registry, name)
	if err != nil {
		return err
	}
	args, err := o.arguments(ctx, def)
	if err != nil {
		return err
	}
	p, managed, err := o.policy.load(o.env, o.console, o.tools, nil)
	if err != nil {
		return err
	}
	o.managed = managed
	if err := useLedger(o.env, &p, o.dryRun); err != nil {
		return err
	}
	access := toolAccess{confineOptions: o.confine, records: stateFolder(o.env), definitions: o.tools.files()}
	if err := access.checkRoot(access.records); err != nil {
		return err
	}
	p = access.resolveFileRules(p)
	p.Secrets = o.console.secrets
	access.made = slices.Concat(ownFiles(o.env), o.policy.files, o.model.servers.secrets.files(), programPaths(p, registry.All()))
	if o.programs, err = access.programs(o.console, p, []*tool.Definition{def}); err != nil {
		return err
	}
	env, release, err := access.open(ctx, o.env, o.console, o.programs)
	if err != nil {
		return err
	}
	defer release()
	applyFileRules(&env, &p)
	if !o.dryRun {
		if env.Secret, err = secrets.forTools([]*tool.Definition{def}); err != nil {
			return err
		}
		if why, hint := o.confine.missingRequirements(def); why != "" {
			return cannotWork(def, why, hint)
		}
		o.programs.log(o.console, "")
	}
	gate := o.gate(env, registry, p, approver)
	inv, err := gate.Admit(chat.Call{Name: def.Name, Arguments: json.RawMessage(args), Status: chat.StatusOK, Executable: true})
	if err != nil {
		return err
	}
	result, rejected := inv.Rejection()
	switch {
	case o.dryRun && rejected:
		return o.finish(def, result)
	case o.dryRun:
		return o.printDecision(env, def, json.RawMessage(args), gate, inv)
	}
	if result, err = gate.Finish(ctx, inv); err != nil {
		return withApprovalHint(err)
	}
	if d := inv.Decision(); d.Verdict == policy.Deny && !rejected {
		return errors.Join(printResult(o.console, result), deniedError(def, d))
	}
	return o.finish(def, result)
}

// gate returns the gate that the call passes. Its keys derive from a seed of their own.
func (o *toolsCallOptions) gate(env executor.Env, registry *tool.Registry, p policy.Policy, approver agent.Approver) *agent.Gate {
	cfg := agent.GateConfig{
		Tools: registry, Runner: o.confine.runner(o.env, registry, env), Policy: p, Trusted: true, Approver: approver,
		Preview: func(def *tool.Definition, args json.RawMessage) chat.Preview {
			preview := env.Preview(def, args)
			for i := range preview.Files {
				preview.Files[i].Reason = "--args names it"
			}
			return preview
		},
	}
	if env.Root != nil {
		cfg.Resolve = env.Root.Resolve
	}
	if !o.dryRun {
		cfg.Observe = o.observe
	}
	_, _ = rand.Read(cfg.Seed[:]) // never fails
	return agent.NewGate(cfg)
}

// observe logs the steps of the call. It has no ID outside of a run.
func (o *toolsCallOptions) observe(e agent.Event) {
	e.Call.ID = ""
	switch e.Kind {
	case agent.EventCall:
		o.console.logDecision("", e)
	case agent.EventApproval:
		o.console.logApproval("", e)
	case agent.EventResult, agent.EventDropped:
		o.console.logResult("", e)
	}
}

// findCallable returns the definition of a tool that can be called.
func findCallable(registry *tool.Registry, name string) (*tool.Definition, error) {
	def, ok := registry.Get(name)
	switch {
	case !ok:
		return nil, unknownToolError(name, registry)
	case tool.EndingTool(name) == def:
		return nil, usagef("", "%s ends a run; there is nothing to call", name)
	case def == tool.AskUser:
		return nil, usagef("", "%s asks the user of a run; there is nothing to call", name)
	}
	return def, nil
}

// unknownToolError is the error for an unknown tool.
func unknownToolError(name string, registry *tool.Registry) error {
	hint := showsTools
	if near := registry.Suggest(name); near != "" {
		hint = "did you mean " + near + "?"
	}
	return usagef(hint, "unknown tool %q", name)
}

// pairArguments returns the K=V arguments as JSON, converted to the types of their parameters.
func (o *toolsCallOptions) pairArguments(def *tool.Definition) (jsontext.Value, error) {
	given, example := map[string]string{}, ""
	if params := def.Signature.Params; len(params) > 0 {
		example = "for example oneshot tools call " + def.Name + " " + params[0].Name + "=…"
	}
	for _, pair := range o.pairs {
		key, value, ok := strings.Cut(pair, "=")
		if !ok || key == "" {
			return nil, usagef(example, "oneshot tools call: %q is not K=V", pair)
		}
		if _, twice := given[key]; twice {
			return nil, usagef("", "oneshot tools call: %s is given twice", key)
		}
		given[key] = value
	}
	text, err := json.Marshal(given)
	if err != nil {
		return nil, err
	}
	args, _ := def.Coerce(text) // the check of the call reports misfits
	return jsontext.Value(args), nil
}

// arguments returns the arguments of the call, a strict JSON object.
func (o *toolsCallOptions) arguments(ctx context.Context, def *tool.Definition) (jsontext.Value, error) {
	if len(o.pairs) > 0 {
		return o.pairArguments(def)
	}
	text, err := []byte(o.args), error(nil)
	switch path, isFile := strings.CutPrefix(o.args, "@"); {
	case isFile:
		text, err = readFlag("--args", path)
	case o.args == "-":
		text, err = readStdin(ctx, o.env)
	}
	if err != nil {
		return nil, err
	}
	const hint = `for example --args '{"query": "battery"}'`
	if faults := tool.CheckStrict(text); len(faults) > 0 {
		return nil, usagef(hint, "--args: invalid JSON: %s", faults[0].Message)
	}
	args := jsontext.Value(text)
	if args.Kind() != '{' {
		return nil, usagef(hint, "--args must be a JSON object")
	}
	return args, nil
}

// withApprovalHint adds the flags that approve a call to the error of a call without approval.
func withApprovalHint(err error) error {
	var waiting *agent.ApprovalError
	if !errors.As(err, &waiting) {
		return err
	}
	hint := "--approve-call " + waiting.Requests[0].Approval + " approves it"
	if waiting.Why == nil || errors.Is(waiting.Why, agent.ErrNoApprover) {
		hint += "; --approve tty asks at the terminal"
	}
	return &hintedError{err, hint}
}

// deniedError is the error for a denied call.
func deniedError(def *tool.Definition, d policy.Decision) error {
	return &agent.DeniedError{Tool: def.Name, Why: d.Why, Hint: d.Hint}
}

// finish prints a result and returns its error.
func (o *toolsCallOptions) finish(def *tool.Definition, result chat.Result) error {
	if err := printResult(o.console, result); err != nil {
		return err
	}
	return resultError(def, result)
}

// resultError returns the error for a result, nil for success.
func resultError(def *tool.Definition, r chat.Result) error {
	switch {
	case len(r.Needs) > 0:
		return &hintedError{&agent.NeedsError{All: []agent.Needs{{Tool: def.Name, Fields: r.Needs, Question: r.Question}}}, "pass it in --args"}
	case r.Error != nil && r.Error.Code == chat.Unauthorized:
		return &agent.UnauthorizedError{Tool: def.Name, Why: r.Error.Message, Hint: def.Renew}
	case r.Error != nil:
		return &findingsError{fmt.Sprintf("%s: %s: %s", def.Name, r.Error.Code, r.Error.Message)}
	}
	return nil
}

func printResult(t *console, r chat.Result) error {
	envelope, err := r.MarshalJSON()
	if err != nil {
		return err
	}
	_, err = t.out.Write(append(diag.EscapeInvisibleJSON(t.secrets.HideJSON(envelope)), '\n'))
	return err
}
