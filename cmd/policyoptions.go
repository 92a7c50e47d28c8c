package cmd

import (
	"errors"
	"os"
	"slices"
	"syscall"

	"oneshot/pkg/agent"
	"oneshot/pkg/diag"
	"oneshot/pkg/lint"
	"oneshot/pkg/policy"
	"oneshot/pkg/quote"
	"oneshot/pkg/tool"
)

// policyOptions select the policy.
type policyOptions struct {
	files       []string
	allow, deny []string
	ask         []string
	readOnly    bool
	enableExec  bool
	scopes      []string
	connections []string
	nonce       bool
}

// check refuses invalid globs, and --allow with --policy.
func (o *policyOptions) check() error {
	if bad := policy.FirstInvalidGlob(o.allow); bad != "" {
		return usagef("", "--allow: %q is not a valid glob", bad)
	}
	if bad := policy.FirstInvalidGlob(o.ask); bad != "" {
		return usagef("", "--ask: %q is not a valid glob", bad)
	}
	if bad := policy.FirstInvalidGlob(o.deny); bad != "" {
		return usagef("", "--deny: %q is not a valid glob", bad)
	}
	if len(o.files) > 0 && len(o.allow) > 0 {
		return usagef("allow it in "+o.files[0], "--allow cannot widen --policy")
	}
	return nil
}

// load returns the policy and, if there is one, the layer of the administrator in it. Its rules may name any shipped or loaded
// tool, even unused ones.
func (o *policyOptions) load(env Env, t *console, tools toolOptions, hosts map[string]bool) (policy.Policy, *managedPolicy, error) {
	p := policy.Policy{Flags: policy.FlagRules{
		Allow: o.allow, Ask: o.ask, Deny: o.deny, ReadOnly: o.readOnly, EnableExec: o.enableExec, Scopes: o.scopes,
		Connected: o.connections, AllowHosts: hosts,
	}}
	if m, err := readManaged(env); len(o.files) == 0 && (m == nil || err != nil) {
		return p, nil, err
	}
	known, err := everyTool(env, tools.paths)
	if err != nil {
		return p, nil, err
	}
	checker := lint.NewChecker(nil, tool.Loader{}, lint.V1Defaults{}, known)
	for _, file := range o.files {
		src, err := readFlag("--policy", file)
		if err != nil {
			return p, nil, err
		}
		v := checker.CheckFile(file, src, lint.Policy)
		open, err := checkPolicyMode(file)
		if err != nil {
			return p, nil, err
		}
		findings := append(v.Findings, open...)
		t.findings(findings, map[string]diag.Text{file: {Bytes: src}})
		if diag.HasErrors(findings) {
			return p, nil, usagef(hintOfFindings(findings), "--policy: %s has errors", file)
		}
		p.Layers = append(p.Layers, v.Policy)
	}
	managed, err := loadManaged(env, t, known)
	if managed != nil {
		p.Layers = append(p.Layers, managed.layer) // last, after layers that change arguments
	}
	return p, managed, err
}

// useLedger gives a policy the rate ledger of the user, if it needs one. An unreadable ledger is an error.
func useLedger(env Env, p *policy.Policy, isDry bool) error {
	if !slices.ContainsFunc(p.Layers, func(l *policy.Layer) bool { return l.PerUser }) {
		return nil
	}
	rates, err := newUserRates(env, isDry)
	if err != nil {
		return err
	}
	p.Ledger = rates
	return nil
}

// applyBudgets lowers the limits of a run to those of its policies.
func applyBudgets(limits *agent.Limits, layers []*policy.Layer) {
	for _, l := range layers {
		if n := l.Budget.Tokens; n >= 0 && (limits.Tokens == 0 || n < limits.Tokens) {
			limits.Tokens = max(n, 1) // 0 means no limit, and a request costs at least one
		}
		if c := l.Budget.Cost; c >= 0 && (limits.Cost == 0 || c < limits.Cost) {
			limits.Cost = max(c, 1)
		}
		if d := l.Budget.Wall; d > 0 {
			limits.Wall = min(limits.Wall, d)
		}
	}
}

// withBudgetHint marks an error about a budget that a policy sets.
func withBudgetHint(err error, layers []*policy.Layer) error {
	var limit *agent.LimitError
	if !errors.As(err, &limit) {
		return err
	}
	for _, l := range layers {
		switch b := l.Budget; {
		case limit.Budget == "tokens" && b.Tokens >= 0 && max(b.Tokens, 1) == limit.Limit:
			return &hintedError{&policyLimitError{err}, "raise budget.tokens in the policy"}
		case limit.Budget == "cost" && b.Cost >= 0 && max(b.Cost, 1) == limit.LimitUSD:
			return &hintedError{&policyLimitError{err}, "raise budget.cost_usd in the policy"}
		}
	}
	return err
}

// A policyLimitError reports that a budget of a policy is exhausted.
type policyLimitError struct{ error }

func (e *policyLimitError) Unwrap() error { return e.error }

// nonceRule returns the flag or policy that requires marked fences, or "". Managed is the last layer, if there is one.
func (o *policyOptions) nonceRule(layers []*policy.Layer, managed *managedPolicy) (rule string) {
	if o.nonce {
		rule = "--nonce"
	}
	for i, l := range layers {
		switch {
		case !l.RequireNonce:
		case i < len(o.files):
			rule = o.files[i] + " sets require_nonce"
		default:
			rule = managed.path + " sets require_nonce"
		}
	}
	return rule
}

// everyTool returns the definitions of files and the shipped ones. A file replaces a shipped definition of the same name.
func everyTool(env Env, paths []string) (*tool.Registry, error) {
	defs, findings, err := loadDefinitions(env, toolOptions{paths: paths, globs: []string{"*"}})
	if err != nil {
		return nil, err
	}
	if diag.HasErrors(findings) {
		return nil, newDefinitionsError(findings)
	}
	registry, _ := tool.NewRegistry(defs...) // the first definition of a name wins
	return registry, nil
}

// checkPolicyMode returns a finding if others than the user and root can change a policy.
func checkPolicyMode(file string) ([]diag.Finding, error) {
	info, err := os.Stat(file)
	if err != nil {
		return nil, &inputError{err}
	}
	if !info.Mode().IsRegular() {
		return nil, nil
	}
	finding := func(hint, format string, args ...any) ([]diag.Finding, error) {
		f := diag.New(diag.PolicyWritable, diag.Bytes(0, 0), format, args...)
		f.File, f.Hint = file, hint
		return []diag.Finding{f}, nil
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); ok && stat.Uid != 0 && int(stat.Uid) != os.Geteuid() {
		return finding("copy it, if you trust it", "the file belongs to user %d, who can change the policy", stat.Uid)
	}
	if canOthersWrite(file, info) {
		return finding("chmod go-w "+quote.Shell(file), "the file has mode %04o: others can change the policy", info.Mode().Perm())
	}
	return nil, nil
}
