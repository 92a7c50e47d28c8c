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

func newToolsCall(env Env, t *console) *cobra.Command {
	o := new(options)
	c := &cobra.Command{
		Use:   "call [flags] NAME [K=V...]",
		Short: "Run one tool as a run would, and print its result",
		Long: `Call checks the arguments, applies the policy, runs one tool and prints the result
envelope that a model would get. Arguments are K=V, where V is text or the JSON of the
parameter's type, or one JSON object in --args. The call uses no cached result.

With --dry-run, call prints the policy decision instead of running the tool: the
verdict, its rule and reason, the arguments as given and as the tool would get them,
and the request or the words of a program. Exit 0 means that the call is allowed, even
if "fails" says why the tool could not do it; exit 1 for invalid arguments, 7 and 8 are
those of the call.

Exit 0 means that the tool succeeded, 1 that it failed or the arguments are invalid,
4 that it lacks an authorization, 7 that the policy or the approver denied the call,
8 that the tool needs information or the call needs approval.`,
		Example: `  oneshot tools call vault_search --root prompts/demo/vault query=battery limit=2
  oneshot tools call file_put --policy testdata/readme/policy.yaml --dry-run --args '{"path": "out/a.md", "content": "x"}'`,
		Args: func(c *cobra.Command, args []string) error {
			return oneArgument("NAME", showsTools)(c, args[:min(1, len(args))])
		},
		RunE: func(c *cobra.Command, args []string) error {
			if len(args) > 1 && c.Flags().Changed("args") {
				return usagef("omit one of them", "--args cannot be combined with arguments as K=V")
			}
			if err := o.fillFromAgent(env, t, c.Flags(), forCall); err != nil {
				return err
			}
			defer t.noteUnusedStdin(env, strings.TrimPrefix(o.args, "@"))
			p, err := newCallPlan(c.Context(), env, t, o, args[0], args[1:])
			if err != nil {
				return err
			}
			return p.run(c.Context())
		},
	}
	o.define(c, env, forCall)
	c.ValidArgsFunction = listed(toolNames).completeFirst(env, o)
	return c
}

// A callPlan is everything that a call of "oneshot tools call" depends on. Its fields are set once.
type callPlan struct {
	env      Env
	console  *console
	flags    *options
	approver agent.Approver
	secrets  secretStore
	registry *tool.Registry
	def      *tool.Definition
	args     json.RawMessage
	policy   policy.Policy
	managed  *managedPolicy // nil without one
	access   toolAccess
	programs *confined
}

// newCallPlan makes the plan of a call of the named tool. Pairs are its arguments as K=V. It finds usage errors before
// anything runs.
func newCallPlan(ctx context.Context, env Env, t *console, o *options, name string, pairs []string) (*callPlan, error) {
	p := &callPlan{env: env, console: t, flags: o}
	err := errors.Join(o.policy.check(), o.approve.check())
	if err != nil {
		return nil, err
	}
	if p.approver, err = o.approve.approver(env, t, ""); err != nil {
		return nil, err
	}
	t.hideKeys(env)
	if p.secrets, err = o.model.servers.secrets.load(ctx, env, t, false); err != nil {
		return nil, causeOr(ctx, err)
	}
	if p.registry, err = o.tools.load(env, t); err != nil {
		return nil, err
	}
	if p.def, err = findCallable(p.registry, name); err != nil {
		return nil, err
	}
	if err := o.policy.checkMatches(p.registry); err != nil {
		return nil, err
	}
	if p.args, err = callArguments(ctx, env, o.args, p.def, pairs); err != nil {
		return nil, err
	}
	rules, managed, err := o.policy.load(env, t, o.tools, nil)
	if err != nil {
		return nil, err
	}
	if err := useLedger(env, &rules, o.dryRun); err != nil {
		return nil, err
	}
	records := stateFolder(env)
	if err := o.confine.checkRoot(records); err != nil {
		return nil, err
	}
	p.policy, p.managed = o.confine.withLinkTargets(rules), managed
	p.policy.Secrets = t.secrets
	made := slices.Concat(ownFiles(env), o.agentFiles, o.policy.files, o.model.servers.secrets.files(), programPaths(p.policy, p.registry.All()))
	p.access = toolAccess{o.confine, records, made, o.tools.files()}
	p.programs, err = p.access.programs(t, p.policy, []*tool.Definition{p.def})
	return p, err
}

// run makes the call and prints its result, or prints the decision in a dry run.
func (p *callPlan) run(ctx context.Context) error {
	env, release, err := p.access.openEnvironment(ctx, p.env, p.console, p.programs)
	if err != nil {
		return err
	}
	defer release()
	applyFileRules(&env, &p.policy)
	if !p.flags.dryRun {
		if env.Secret, err = p.secrets.forTools([]*tool.Definition{p.def}); err != nil {
			return err
		}
		if why, hint := p.flags.confine.missingRootReason(p.def); why != "" {
			return unusableToolError(p.def, why, hint)
		}
		p.programs.log(p.console, "")
	}
	gate := p.gate(env)
	inv, err := gate.Admit(chat.Call{Name: p.def.Name, Arguments: p.args, Status: chat.StatusOK, Executable: true})
	if err != nil {
		return err
	}
	result, rejected := inv.Rejection()
	switch {
	case p.flags.dryRun && rejected:
		return p.finish(result)
	case p.flags.dryRun:
		return p.printDecision(env, gate, inv)
	}
	if result, err = gate.Finish(ctx, inv); err != nil {
		return withApprovalHint(err)
	}
	if d := inv.Decision(); d.Verdict == policy.Deny && !rejected {
		return errors.Join(printResult(p.console, result), deniedError(p.def, d))
	}
	return p.finish(result)
}

// gate returns the gate that the call passes. Its keys derive from a seed of their own.
func (p *callPlan) gate(env executor.Env) *agent.Gate {
	cfg := agent.GateConfig{
		Tools: p.registry, Runner: p.flags.confine.runner(p.env, p.registry, env), Policy: p.policy, Trusted: true, Approver: p.approver,
		Preview: func(def *tool.Definition, args json.RawMessage) chat.CallPreview {
			preview := env.PreviewCall(def, args)
			for i := range preview.Files {
				preview.Files[i].Reason = "--args names it"
			}
			return preview
		},
	}
	if env.Root != nil {
		cfg.Resolve = env.Root.Resolve
	}
	if !p.flags.dryRun {
		cfg.Observe = p.logEvent
	}
	_, _ = rand.Read(cfg.Seed[:]) // never fails
	return agent.NewGate(cfg)
}

// logEvent logs the steps of the call. It has no ID outside of a run.
func (p *callPlan) logEvent(e agent.Event) {
	e.Call.ID = ""
	switch e.Kind {
	case agent.EventCall:
		p.console.logDecision("", e)
	case agent.EventApproval:
		p.console.logApproval("", e)
	case agent.EventResult, agent.EventDropped:
		p.console.logResult("", e)
	}
}

// findCallable returns the definition of a tool that can be called.
func findCallable(registry *tool.Registry, name string) (*tool.Definition, error) {
	def, ok := registry.Get(name)
	switch {
	case !ok:
		return nil, unknownToolError(name, registry)
	case tool.LookupEndingTool(name) == def:
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
func pairArguments(def *tool.Definition, pairs []string) (json.RawMessage, error) {
	given, example := map[string]string{}, ""
	if params := def.Signature.Params; len(params) > 0 {
		example = "for example oneshot tools call " + def.Name + " " + params[0].Name + "=…"
	}
	for _, pair := range pairs {
		key, value, ok := strings.Cut(pair, "=")
		if !ok || key == "" {
			return nil, usagef(example, "argument %q is not K=V", pair)
		}
		if _, twice := given[key]; twice {
			return nil, usagef("", "argument %s is given twice", key)
		}
		given[key] = value
	}
	text, err := json.Marshal(given)
	if err != nil {
		return nil, err
	}
	args, _ := def.Coerce(text) // the check of the call reports misfits
	return json.RawMessage(args), nil
}

// callArguments returns the arguments of the call, a strict JSON object.
func callArguments(ctx context.Context, env Env, flag string, def *tool.Definition, pairs []string) (json.RawMessage, error) {
	if len(pairs) > 0 {
		return pairArguments(def, pairs)
	}
	text, err := []byte(flag), error(nil)
	switch path, isFile := strings.CutPrefix(flag, "@"); {
	case isFile:
		text, err = readFlag("--args", path)
	case flag == "-":
		text, err = readStdin(ctx, env)
	}
	if err != nil {
		return nil, err
	}
	const hint = `for example --args '{"query": "battery"}'`
	if faults := tool.CheckStrict(text); len(faults) > 0 {
		return nil, usagef(hint, "--args: invalid JSON: %s", faults[0].Message)
	}
	if jsontext.Value(text).Kind() != '{' {
		return nil, usagef(hint, "--args must be a JSON object")
	}
	return text, nil
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
func (p *callPlan) finish(result chat.Result) error {
	if err := printResult(p.console, result); err != nil {
		return err
	}
	return resultError(p.def, result)
}

// resultError returns the error for a result, nil for success.
func resultError(def *tool.Definition, r chat.Result) error {
	switch {
	case len(r.Needs) > 0:
		return &hintedError{&agent.NeedsError{All: []agent.Needs{{Tool: def.Name, Fields: r.Needs, Question: r.Question}}}, "add it as K=V, or to --args"}
	case r.Error != nil && r.Error.Code == chat.Unauthorized:
		return &agent.ToolAuthError{Tool: def.Name, Why: r.Error.Message, Hint: def.Renew}
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
