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

	"oneshot/pkg/agent"
	"oneshot/pkg/chat"
	"oneshot/pkg/provider"
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
}

// chosenModels are the models of a run.
type chosenModels struct {
	names   []string           // PROVIDER/NAME or the recording; the main model first, the responder last
	clients []*provider.Client // of all servers
	main    agent.Model
	answer  agent.Model // of the final answer; nil: main

	isNative, nativeOnly bool // calls
	hasServerFlags       bool
}

// providerNames lists how models are named: "ollama/NAME, openai/NAME, …".
func providerNames() string {
	var names []string
	for _, p := range provider.Presets() {
		names = append(names, p.Name+"/NAME")
	}
	return strings.Join(names, ", ")
}

// check refuses a recording beside other models.
func (o *modelOptions) check() error {
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

// connect creates the clients of the named models, or of the only model of Ollama, and queries their capabilities.
func (p *runPlan) connect(ctx context.Context, seed [32]byte, params map[string]json.RawMessage) (*chosenModels, error) {
	o, env, t := &p.flags.model, p.env, p.console
	s, err := o.servers.read(env, t, p.secrets, p.resolved)
	if err != nil {
		return nil, err
	}
	names, source := o.names, "flag --model"
	if recorded, ok := p.resolved.recorded[settingModel]; ok && len(names) == 0 {
		source, names = recorded.Source, []string{recorded.Value}
	}
	if len(names) == 0 {
		source = sourceOnlyModel
		only, err := s.onlyModel(ctx, env, t)
		if err != nil {
			return nil, err
		}
		t.note("using model %s", only)
		names = []string{only}
	}
	for _, name := range names {
		p.resolved.note(settingModel, name, source)
	}
	m := &chosenModels{names: names, hasServerFlags: o.servers.given()}
	if o.responder != "" {
		m.names = append(slices.Clone(names), o.responder)
	}
	places, err := s.endpoints(env, t, m.names)
	if err != nil {
		return nil, err
	}
	for i := range places {
		if err := s.authorize(env, t, &places[i]); err != nil {
			return nil, err
		}
	}
	wanted := requirements{
		calls:   p.tools != nil && (o.dialect == "auto" || o.dialect == native),
		context: params["num_ctx"] == nil, another: len(names) > 1,
	}
	asked, err := m.probe(ctx, s, t, places, seed, wanted)
	if err != nil {
		return nil, err
	}
	var shared *breakers
	if len(names) > 1 && !p.flags.dryRun {
		shared = newBreakers(env, t)
	}
	m.main = m.fallback(asked[:len(names)], places, shared)
	if o.responder != "" {
		m.answer = m.clients[len(names)]
	}
	return m, m.chooseDialect(o.dialect, asked, p.tools != nil)
}

// probe creates the clients of the models and queries their capabilities.
func (m *chosenModels) probe(ctx context.Context, s *settings, t *console, places []endpoint, seed [32]byte, wanted requirements) ([]*probed, error) {
	var asked []*probed
	for _, p := range places {
		c, err := s.probe(ctx, p, seed, wanted)
		if err != nil {
			return nil, m.withHint(err)
		}
		if c.probeErr != nil {
			t.note("model %s: %v", p.name, c.probeErr)
		}
		asked = append(asked, c)
		m.clients = append(m.clients, c.client)
	}
	return asked, nil
}

// fallback returns the model and its fallbacks.
func (m *chosenModels) fallback(asked []*probed, places []endpoint, shared *breakers) agent.Model {
	if len(asked) == 1 {
		return m.clients[0]
	}
	var members []provider.Member
	for i, c := range m.clients[:len(asked)] {
		members = append(members, provider.Member{Name: c.Name(), Server: places[i].address(), Model: c})
	}
	all := provider.NewFallback(members...)
	shared.share(all, members)
	for i := range members {
		if asked[i].probeErr != nil {
			all.Open(i)
		}
	}
	return all
}

// share exchanges model failures with other runs.
func (b *breakers) share(all *provider.Fallback, members []provider.Member) {
	if b == nil {
		return
	}
	key := func(i int) string { return breakerKey(members[i].Name, members[i].Server) }
	failed := b.failed(time.Now())
	for i := range members {
		if at, ok := failed[key(i)]; ok && time.Since(at) < provider.CoolDown {
			all.RestoreFailure(i, at)
		}
	}
	all.OnFailure = func(i int, at time.Time) { b.setFailure(key(i), at) }
}

// chooseDialect selects native calls if the flag asks for them, or if it is auto and every model supports them.
func (m *chosenModels) chooseDialect(flag string, asked []*probed, hasTools bool) error {
	unable := slices.IndexFunc(asked, func(c *probed) bool { return !c.native })
	switch {
	case flag == native && unable >= 0:
		return usagef("omit --dialect", "--dialect native: model %s does not support native calls", asked[unable].client.Name())
	case flag == native, flag == "auto" && unable < 0:
		m.isNative, m.nativeOnly = hasTools, flag == native
	}
	return nil
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

// compose returns the first request for the first model. It fails if any model cannot take the request.
func (m *chosenModels) compose(req chat.Request) (first provider.HTTPRequest, err error) {
	for i, c := range m.clients {
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
