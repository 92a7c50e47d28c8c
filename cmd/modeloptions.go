package cmd

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	crand "crypto/rand"

	"github.com/spf13/pflag"

	"oneshot/pkg/agent"
	"oneshot/pkg/chat"
	"oneshot/pkg/provider"
	"oneshot/pkg/runfile"
)

// defaultContext is the context of an Ollama model, in tokens, if neither a flag nor the model sets it. It is at most
// the model's maximum.
const defaultContext = 8192

// modelOptions select models and their parameters.
type modelOptions struct {
	names     []string
	responder string
	dialect   string
	servers   serverOptions

	params      []string
	effort      string
	temperature float64
	seed        int64
	set         *pflag.FlagSet

	chosen  string             // the main model: PROVIDER/NAME, or the recording
	clients []*provider.Client // of all models
	log     *runfile.Log       // of the replayed run, or nil

	shared   bool      // share failures with other runs
	breakers *breakers // nil: not shared
}

// providerNames lists how models are named: "ollama/NAME, openai/NAME, …".
func providerNames() string {
	var names []string
	for _, p := range provider.Presets() {
		names = append(names, p.Name+"/NAME")
	}
	return strings.Join(names, ", ")
}

// configure sets the models, their parameters and the seed of the run.
func (o *modelOptions) configure(ctx context.Context, env Env, t *console, cfg *agent.Config) error {
	if _, err := crand.Read(cfg.Seed[:]); err != nil {
		return err
	}
	params, err := o.flagParams()
	if err != nil {
		return err
	}
	cfg.Params = params
	if cfg.Dialect, err = taughtFlag(o.dialect); err != nil {
		return err
	}
	for _, name := range o.allNames() {
		switch {
		case !isRecording(name):
			continue
		case len(o.allNames()) > 1:
			return usagef("omit the others", "--model %s: a replay cannot be combined with other models", name)
		case o.responder != "":
			return usagef("--model "+name, "--responder: a replay cannot give the answer alone")
		}
		return o.replay(env, name, cfg)
	}
	return o.connect(ctx, env, t, cfg)
}

// allNames returns the names of all models in order, the responder last.
func (o *modelOptions) allNames() []string {
	names := slices.Clone(o.names)
	if o.responder != "" {
		names = append(names, o.responder)
	}
	return names
}

// connect creates the clients of the named models, or of the only model of Ollama.
func (o *modelOptions) connect(ctx context.Context, env Env, t *console, cfg *agent.Config) error {
	s, err := o.servers.read(env, t)
	if err != nil {
		return err
	}
	source := "flag --model"
	if recorded, ok := o.servers.resolved.recorded[settingModel]; ok && len(o.names) == 0 {
		source, o.names = recorded.Source, []string{recorded.Value}
	}
	if len(o.names) == 0 {
		source = sourceOnlyModel
		only, err := s.onlyModel(ctx, env, t)
		if err != nil {
			return err
		}
		t.note("using model %s", only)
		o.names = []string{only}
	}
	o.chosen = o.names[0]
	for _, name := range o.names {
		o.servers.resolved.note(settingModel, name, source)
	}
	places, err := s.endpoints(env, t, o.allNames())
	if err != nil {
		return err
	}
	for i := range places {
		if err := s.authorize(env, t, &places[i]); err != nil {
			return err
		}
	}
	if o.shared && len(o.names) > 1 {
		o.breakers = newBreakers(env, t)
	}
	return o.probeModels(ctx, s, t, places, cfg)
}

// probeModels queries the capabilities of the models and sets them in the configuration.
func (o *modelOptions) probeModels(ctx context.Context, s *settings, t *console, places []endpoint, cfg *agent.Config) error {
	wanted := requirements{
		calls:   cfg.Tools != nil && (o.dialect == "auto" || o.dialect == "native"),
		context: cfg.Params["num_ctx"] == nil, another: len(o.names) > 1,
	}
	var asked []*probed
	for _, p := range places {
		c, err := s.probe(ctx, p, cfg.Seed, wanted)
		if err != nil {
			return o.withModelHint(err)
		}
		if c.probeErr != nil {
			t.note("model %s: %v", p.name, c.probeErr)
		}
		asked = append(asked, c)
		o.clients = append(o.clients, c.client)
	}
	o.buildFallback(cfg, places, asked)
	return o.chooseDialect(cfg, asked)
}

// buildFallback sets the model, its fallbacks and the responder.
func (o *modelOptions) buildFallback(cfg *agent.Config, places []endpoint, asked []*probed) {
	cfg.Model = o.clients[0]
	if len(o.names) > 1 {
		var members []provider.Member
		for i, c := range o.clients[:len(o.names)] {
			members = append(members, provider.Member{Name: c.Name(), Server: places[i].address(), Model: c})
		}
		all := provider.NewFallback(members...)
		o.shareBreakers(all, members)
		for i := range members {
			if asked[i].probeErr != nil {
				all.Open(i)
			}
		}
		cfg.Model = all
	}
	if o.responder != "" {
		cfg.AnswerModel = o.clients[len(o.names)]
	}
}

// shareBreakers exchanges model failures with other runs.
func (o *modelOptions) shareBreakers(all *provider.Fallback, members []provider.Member) {
	if o.breakers == nil {
		return
	}
	key := func(i int) string { return breakerKey(members[i].Name, members[i].Server) }
	failed := o.breakers.failed(time.Now())
	for i := range members {
		if at, ok := failed[key(i)]; ok && time.Since(at) < provider.CoolDown {
			all.RestoreFailure(i, at)
		}
	}
	all.OnFailure = func(i int, at time.Time) { o.breakers.setFailure(key(i), at) }
}

// chooseDialect selects native calls if --dialect asks for them, or if it is auto and every model supports them.
func (o *modelOptions) chooseDialect(cfg *agent.Config, asked []*probed) error {
	unable := slices.IndexFunc(asked, func(c *probed) bool { return !c.native })
	switch {
	case o.dialect == "native" && unable >= 0:
		return usagef("omit --dialect", "--dialect native: model %s does not support native calls", asked[unable].client.Name())
	case o.dialect == "native", o.dialect == "auto" && unable < 0:
		cfg.Native, cfg.NativeOnly = cfg.Tools != nil, o.dialect == native
	}
	return nil
}

// flagParams returns the request parameters of the flags.
func (o *modelOptions) flagParams() (map[string]json.RawMessage, error) {
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
	if o.set.Changed("temperature") {
		params["temperature"] = json.RawMessage(strconv.FormatFloat(o.temperature, 'g', -1, 64))
	}
	if o.set.Changed("seed") {
		params["seed"] = json.RawMessage(strconv.FormatInt(o.seed, 10))
	}
	if o.effort != "" {
		params["effort"], _ = json.Marshal(o.effort) // see above
	}
	return params, nil
}

// compose returns the first request for the first model. It fails if any model cannot take the request.
func (o *modelOptions) compose(req chat.Request) (first provider.HTTPRequest, err error) {
	for i, c := range o.clients {
		out, err := c.Compose(req)
		if err != nil {
			return first, fmt.Errorf("model %s: %w", c.Name(), err)
		}
		if i == 0 {
			first = out
		}
	}
	return first, nil
}
