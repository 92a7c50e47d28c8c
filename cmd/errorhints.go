package cmd

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"oneshot/pkg/agent"
	"oneshot/pkg/batch"
	"oneshot/pkg/diag"
	"oneshot/pkg/provider"
	"oneshot/pkg/quote"
)

// Two ways to get a model.
const (
	hintOllama  = "start Ollama (ollama serve) and use --model ollama/NAME"
	hintKey     = "set a provider's key, e.g. OPENAI_API_KEY, and use --model openai/NAME"
	hintNoModel = hintOllama + ", or " + hintKey
)

// hintOfSetKeys lists the providers whose keys are in the environment, or returns "".
func hintOfSetKeys(env Env) string {
	var set []string
	for _, p := range provider.Presets() {
		for _, key := range p.Keys {
			if env.Getenv(key) != "" {
				set = append(set, key+" is set: --model "+p.Name+"/NAME")
			}
		}
	}
	return strings.Join(set, ", ")
}

// hintOfModel returns the hint for an error of a model, or "". It assumes Ollama.
func hintOfModel(err error) string {
	var unknown *provider.UnknownModelError
	var replay *provider.ReplayError
	var attachment *provider.AttachmentError
	switch {
	case errors.As(err, &attachment):
		return hintOfAttachment(attachment)
	case errors.As(err, &unknown):
		return "see ollama list, or install it with ollama pull " + unknown.Name
	case isDemoMismatch(err):
		return "--model demo replays one run only; to see it: oneshot demo"
	case errors.As(err, &replay) && replay.Interrupted:
		return "the recorded run was cut off; continue it with oneshot run --resume " + quote.Shell(replay.File)
	case errors.As(err, &replay):
		return "a replay needs the prompt, tools, schema and flags of the recorded run"
	case as[*provider.OverflowError](err):
		return "raise the context with --param num_ctx=N, or send less"
	case as[*provider.NoToolsError](err):
		return "use --dialect tool, which makes the model write its calls as text"
	case isUnreachable(err):
		return hintNoModel
	}
	return ""
}

// isUnreachable reports whether no server answered.
func isUnreachable(err error) bool {
	return as[*provider.UnavailableError](err) && !as[*provider.StatusError](err) && !as[*provider.BrokenOffError](err)
}

// A hintedError is an error with a hint of its own.
type hintedError struct {
	error
	hint string
}

func (e *hintedError) Unwrap() error { return e.error }

// hintOfServer returns the hint for an error of any server, or "".
func hintOfServer(err error) string {
	switch {
	case as[*provider.AuthError](err):
		return "check the key and its permissions"
	case as[*provider.UnknownModelError](err):
		return "check the model name"
	case isUnreachable(err):
		return "check --base-url, --proxy and the network"
	case as[*provider.ProtocolError](err):
		return "check --base-url, --proxy and --ca-file"
	}
	return hintOfAddress(err)
}

// hintOfAddress returns a hint at the missing or superfluous part of --base-url for a 404 of a compatible server, or "".
func hintOfAddress(err error) string {
	var status *provider.StatusError
	if !errors.As(err, &status) || status.Request == "" {
		return ""
	}
	for _, p := range provider.Protocols() {
		path := "/" + p.Path
		base, ok := strings.CutSuffix(status.Request, path)
		switch {
		case !ok || !p.Versioned:
		case strings.HasSuffix(base, path):
			return "--base-url is the part before " + path
		case !strings.Contains(base, "/v1"):
			return "OpenAI-compatible servers usually want a --base-url that ends in /v1"
		}
	}
	return ""
}

// hintOf returns the hint for an error, or "".
func hintOf(err error) string {
	var hinted *hintedError
	var usage *usageError
	var denied *agent.DeniedError
	var unauthorized *agent.ToolAuthError
	var unfit *agent.AnswerError
	var limit *agent.LimitError
	var late *agent.TimeoutError
	var missing *missingSecretError
	var lost *secretError
	switch {
	case errors.As(err, &hinted):
		return hinted.hint
	case errors.As(err, &usage):
		return usage.hint
	case errors.As(err, &missing):
		return "set " + missing.names[0] + " (in CI, from a secret)"
	case errors.As(err, &lost):
		return lost.hint
	case as[*batch.BudgetError](err):
		return "raise --total-max-cost"
	case as[noModelError](err):
		return hintNoModel
	case errors.As(err, &denied):
		return denied.Hint
	case errors.As(err, &unfit) && unfit.Default:
		return "set another schema with --schema FILE, or accept plain text with --output text"
	case errors.As(err, &limit) && limit.Why != "":
		return "raise budget." + limit.Budget + " in the policy"
	case errors.As(err, &unauthorized):
		return cmp.Or(unauthorized.Hint, "renew the authorization; the definition has no key renew that says how")
	case errors.As(err, &late) && late.Elapsed > 0:
		return "raise --timeout, or budget.wall in the policy"
	case errors.As(err, &limit):
		return "raise it with " + maxFlag(limit)
	}
	return hintOfModel(err)
}

// hintOfFindings returns the hint for findings that include errors.
func hintOfFindings(findings []diag.Finding) string {
	return "see oneshot explain " + string(firstError(findings).Code)
}

// firstError returns the first error of findings that include one.
func firstError(findings []diag.Finding) diag.Finding {
	return findings[slices.IndexFunc(findings, func(f diag.Finding) bool { return f.Severity == diag.Error })]
}

// maxFlag returns the flag that sets a budget.
func maxFlag(limit *agent.LimitError) string {
	return "--max-" + strings.NewReplacer("tokens", "total-tokens", "repeats", "identical-calls").Replace(limit.Budget)
}
