package cmd

import (
	"errors"
	"slices"
	"strings"

	"oneshot/pkg/provider"
	"oneshot/pkg/quote"
)

// hintNoModel lists three ways to get a model.
const hintNoModel = "start Ollama (ollama serve) and use --model ollama/NAME, replay a run with --model replay:RUN, or try --model demo"

// hintOfKeys lists the providers whose keys are in the environment, or returns "".
func hintOfKeys(env Env) string {
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
	switch {
	case errors.As(err, &unknown):
		return "ollama list shows the installed models; ollama pull " + unknown.Name + " installs this one"
	case errors.As(err, &replay) && replay.File == demo:
		return "--model demo replays one recorded run; oneshot run --help shows its command line"
	case errors.As(err, &replay) && replay.Interrupted:
		return "the recorded run was cut off; continue it with oneshot run --resume " + quote.Shell(replay.File)
	case errors.As(err, &replay):
		return "a replay needs the prompt, tools, schema and flags of the recorded run"
	case as[*provider.OverflowError](err):
		return "raise the context with --param num_ctx=N, or send less"
	case as[*provider.NoToolsError](err):
		return "--dialect tool has the model write its calls as text"
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

// withHint adds a hint that depends on the models in use to an error.
func (m *chosenModels) withHint(err error) error {
	try := "oneshot doctor --model " + strings.Join(m.names, " --model ") + " checks it"
	if m.hasServerFlags {
		try = "oneshot doctor with the same model flags checks it"
	}
	elsewhere := slices.ContainsFunc(m.names, func(name string) bool { return !strings.HasPrefix(name, "ollama/") })
	switch hint := hintOfServer(err); {
	case hint != "" && (elsewhere || as[*provider.AuthError](err)):
		return &hintedError{err, hint + "; " + try}
	case elsewhere && as[*provider.OverflowError](err):
		return &hintedError{err, "send less, or use a model with a larger context"}
	}
	return err
}

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
