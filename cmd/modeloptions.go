package cmd

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"oneshot/pkg/provider"
)

// modelOptions select models and their parameters.
type modelOptions struct {
	names     []string
	responder string
	dialect   string
	leaked    string
	servers   serverOptions

	params      []string
	effort      string
	temperature float64
	seed        int64
}

// defaultContext is the context of an Ollama model, in tokens, if neither a flag nor the model sets it. It is at most
// the model's maximum.
const defaultContext = 8192

// providerNames lists how models are named: "ollama/NAME, openai/NAME, …".
func providerNames() string {
	var names []string
	for _, p := range provider.Presets() {
		names = append(names, p.Name+"/NAME")
	}
	return strings.Join(names, ", ")
}

// checkReplayIsOnlyModel refuses a recording beside other models.
func (o *modelOptions) checkReplayIsOnlyModel() error {
	for _, name := range o.allNames() {
		switch {
		case !isRecording(name):
		case len(o.names) > 1:
			return usagef("omit the others", "--model %s: a replay cannot be combined with other models", name)
		case o.responder != "":
			return usagef("--model "+name, "--responder: a replay cannot give the answer alone")
		}
	}
	return nil
}

// allNames returns the names of all models in order, the responder last.
func (o *modelOptions) allNames() []string {
	names := slices.Clone(o.names)
	if o.responder != "" {
		names = append(names, o.responder)
	}
	return names
}

// flagParams returns the request parameters of the flags.
func (o *modelOptions) flagParams(isSet func(flag string) bool) (map[string]json.RawMessage, error) {
	params := map[string]json.RawMessage{}
	for _, p := range o.params {
		key, value, ok := strings.Cut(p, "=")
		if !ok || key == "" {
			return nil, usagef("for example --param num_ctx=16384", "--param: %q is not K=V", p)
		}
		raw := json.RawMessage(value)
		if !json.Valid(raw) {
			raw, _ = json.Marshal(value) // a string always has a JSON form
		}
		params[key] = raw
	}
	if math.IsNaN(o.temperature) || math.IsInf(o.temperature, 0) {
		return nil, usagef("for example --temperature 0.2", "--temperature: %v is not a temperature", o.temperature)
	}
	if isSet("temperature") {
		params["temperature"] = json.RawMessage(strconv.FormatFloat(o.temperature, 'g', -1, 64))
	}
	if isSet("seed") {
		params["seed"] = json.RawMessage(strconv.FormatInt(o.seed, 10))
	}
	if o.effort != "" {
		params["effort"], _ = json.Marshal(o.effort) // see above
	}
	return params, nil
}
