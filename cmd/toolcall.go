package cmd

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"oneshot/pkg/agent"
	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/executor"
	"oneshot/pkg/policy"
	"oneshot/pkg/runfile"
	"oneshot/pkg/tool"
)

// toolsCallOptions are the flags of "oneshot tools call".
type toolsCallOptions struct {
	env     Env
	console *console
	options
	pairs []string // arguments as K=V

	programs *confined
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
	if err := o.model.servers.secrets.load(ctx, o.env, o.console); err != nil {
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
	o.policy.dry = o.dryRun
	p, err := o.policy.load(o.env, o.console, o.tools, nil)
	if err != nil {
		return err
	}
	o.confine.records = stateFolder(o.env)
	if err := o.confine.checkRoot(); err != nil {
		return err
	}
	p = o.confine.resolveFileRules(p)
	p.Secrets = o.console.secrets
	made := slices.Concat(ownFiles(o.env), o.policy.files, o.model.servers.secrets.files(), programPaths(p, registry.All()))
	if o.programs, err = o.confine.programs(o.console, p, []*tool.Definition{def}, made, o.tools.files()); err != nil {
		return err
	}
	env, release, err := o.confine.open(ctx, o.env, o.console, o.programs, made, o.tools.files())
	if err != nil {
		return err
	}
	defer release()
	applyFileRules(&env, &p)
	if !o.dryRun {
		if env.Secret, err = o.model.servers.secrets.forTools([]*tool.Definition{def}); err != nil {
			return err
		}
	}
	call, result := o.call(def, args)
	if result == nil {
		if why, hint := o.confine.missingRequirements(def); why != "" && !o.dryRun {
			return cannotWork(def, why, hint)
		}
		facts := policy.Facts{Def: def, Arguments: call.Arguments, Trusted: true}
		if env.Root != nil {
			facts.Resolve = env.Root.Resolve
		}
		d := p.Decide(&policy.State{}, facts)
		if o.dryRun {
			return o.printDecision(ctx, env, def, json.RawMessage(args), d)
		}
		o.programs.log(o.console, "")
		about := o.logDecision(def, d)
		if d.Verdict == policy.Ask {
			if d, err = o.approved(ctx, approver, env, p, facts, about, d); err != nil {
				return err
			}
		}
		return o.execute(ctx, def, call, about, d, o.confine.runner(o.env, registry, env))
	}
	if !o.dryRun {
		_, code, why := agent.StatusOf(*result)
		o.logResult(o.logDecision(def, policy.Decision{Verdict: policy.Deny, Rule: "check", Why: strings.TrimPrefix(why, string(code)+": "), Arguments: call.Arguments}), *result)
	}
	return o.finish(def, *result)
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

// call returns the call, or the result that rejects its arguments.
func (o *toolsCallOptions) call(def *tool.Definition, args jsontext.Value) (chat.Call, *chat.Result) {
	call := chat.Call{Name: def.Name, Arguments: []byte(args), Status: chat.StatusOK, Executable: true}
	if faults := def.Check(call.Arguments); len(faults) > 0 {
		result := def.RejectionResult(faults, messages(faults))
		return call, &result
	}
	call.Arguments = def.WithDefaults(call.Arguments)
	return call, nil
}

// question returns the approval question for a call.
func question(ctx context.Context, env executor.Env, def *tool.Definition, d policy.Decision) agent.ApprovalRequest {
	q := agent.ApprovalRequest{
		CallID: "call", Tool: def.Name, Arguments: d.Arguments, Digest: runfile.CallDigest(def.Name, d.Arguments),
		Effect: def.Effect, Purpose: def.Description, Rule: d.Rule, Why: d.Why, Def: def,
		Preview: env.Preview(ctx, def, d.Arguments),
	}
	for i := range q.Preview.Files {
		q.Preview.Files[i].Reason = "--args names it"
	}
	q.Approval = q.Preview.ApprovalDigest("", q.CallID, q.Digest) // there is no run
	return q
}

// approvalError is the error for an unanswered question; why may be nil.
func approvalError(q agent.ApprovalRequest, why error) error {
	hint := "--approve-call " + q.Approval + " approves it"
	if why == nil || errors.Is(why, errNobody) {
		hint += "; --approve tty asks at the terminal"
	}
	return &hintedError{&agent.ApprovalError{Requests: []agent.ApprovalRequest{q}, Why: why}, hint}
}

// approved asks for approval and returns the decision. The policy checks changed arguments again.
func (o *toolsCallOptions) approved(ctx context.Context, approver agent.Approver, env executor.Env, p policy.Policy, facts policy.Facts, about agent.Event, d policy.Decision) (policy.Decision, error) {
	q := question(ctx, env, facts.Def, d)
	a, err := agent.Approval{}, errNobody
	if approver != nil {
		a, err = approver.Approve(ctx, q)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return d, context.Cause(ctx)
	case err != nil:
		return d, approvalError(q, err)
	}
	if now := question(ctx, env, facts.Def, d); a.Approved && now.Approval != q.Approval {
		return d, approvalError(now, errOther)
	}
	o.logApproval(about, a)
	return a.Decide(facts.Def, d, func(args json.RawMessage) policy.Decision {
		facts.Arguments = args
		return p.Decide(&policy.State{}, facts)
	}), nil
}

// execute runs an allowed call and prints its result, or the refusal.
func (o *toolsCallOptions) execute(ctx context.Context, def *tool.Definition, call chat.Call, about agent.Event, d policy.Decision, r *executor.Runner) error {
	call.Arguments = d.Arguments
	if d.Verdict != policy.Allow {
		refusal := chat.Failure(d.Code, "%s", d.Why)
		o.logResult(about, refusal)
		return errors.Join(printResult(o.console, refusal), deniedError(def, d))
	}
	if err := o.wait(ctx, d); err != nil {
		return err
	}
	about.Digest = o.digest(def, call.Arguments)
	begin := time.Now()
	result, err := r.Run(ctx, chat.Execution{Call: call, IdempotencyKey: freshKey(), MaxBytes: d.MaxBytes, Follow: d.CheckRedirect, ResolvedPaths: d.ResolvedPaths})
	if err != nil {
		return err
	}
	about.Duration = time.Since(begin)
	o.logResult(about, result)
	return o.finish(def, result)
}

// freshKey returns a unique key for a call.
func freshKey() string {
	var key [16]byte
	_, _ = rand.Read(key[:]) // never fails
	return hex.EncodeToString(key[:])
}

// logDecision logs the decision about a call and returns its event.
func (o *toolsCallOptions) logDecision(def *tool.Definition, d policy.Decision) agent.Event {
	about := agent.Event{
		Call:   agent.CallReport{Tool: def.Name, Effect: def.Effect},
		Digest: o.digest(def, d.Arguments), Verdict: d.Verdict, Rule: d.Rule, Text: d.Why,
	}
	o.console.logDecision("", about)
	return about
}

func (o *toolsCallOptions) digest(def *tool.Definition, args json.RawMessage) string {
	return runfile.CallDigest(def.Name, o.console.secrets.HideJSON(args))
}

// logApproval logs the approval of a call.
func (o *toolsCallOptions) logApproval(about agent.Event, a agent.Approval) {
	about.Verdict, about.By, about.Text = policy.Deny, a.By, a.Why
	if a.Approved {
		about.Verdict = policy.Allow
	}
	if a.Modified != nil {
		about.ModifiedDigest = runfile.CallDigest(about.Call.Tool, o.console.secrets.HideJSON(a.Modified))
	}
	o.console.logApproval("", about)
}

// logResult logs the result of a call.
func (o *toolsCallOptions) logResult(about agent.Event, r chat.Result) {
	about.Call.Status, about.Call.Code, about.Text = agent.StatusOf(r)
	o.console.logResult("", about)
}

// wait waits until the rate limits allow a call.
func (o *toolsCallOptions) wait(ctx context.Context, d policy.Decision) error {
	wait, err := d.ReserveStart(&policy.State{}, "", time.Now())
	if err != nil {
		return err
	}
	select {
	case <-time.After(wait):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
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

func messages(findings []diag.Finding) string {
	lines := make([]string, len(findings))
	for i, f := range findings {
		lines[i] = f.Message
	}
	return strings.Join(lines, "; ")
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
