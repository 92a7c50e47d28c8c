package cmd

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"oneshot/pkg/provider"
	"oneshot/pkg/provider/wire"
	"oneshot/pkg/schema"
)

// An endpoint is a model on a server.
type endpoint struct {
	name     string          // from the command line
	provider provider.Preset // only its protocol is set for an unknown server
	id       string          // of the model on the server
	url      *url.URL        // nil: the provider's
	header   http.Header     // with the credentials
}

// endpoints returns the endpoints of the named models, which include the responder, if any. It contacts no server. Flags for a
// server that is ambiguous or not used are a usage error.
func (s *settings) endpoints(env Env, t *console, names []string, responder string) ([]endpoint, error) {
	var out []endpoint
	for _, name := range names {
		flag := "--model"
		if responder != "" && name == responder {
			flag = "--responder"
		}
		p, err := s.endpoint(env, t, flag, name)
		if err != nil {
			return nil, err
		}
		out = append(out, p)
	}
	return out, s.checkServerFlags(out)
}

// checkServerFlags refuses flags for a server that is ambiguous or not used.
func (s *settings) checkServerFlags(places []endpoint) error {
	providers := map[string]bool{}
	for _, p := range places {
		providers[p.provider.Name] = true
	}
	if len(providers) > 1 && s.needsSingleServer() {
		return usagef("name the provider, for example --base-url openai=URL",
			"--base-url, --api-key, --api and --header apply to one server, but the models have several: %s",
			strings.Join(slices.Sorted(maps.Keys(providers)), ", "))
	}
	for _, of := range slices.Sorted(maps.Keys(s.urls)) {
		if of != "" && !providers[of] && !s.hasDefaultURLs {
			return usagef("", "--base-url %s=…: no --model uses %s", of, of)
		}
	}
	for _, of := range slices.Sorted(maps.Keys(s.keys)) {
		if of != "" && !providers[of] {
			return usagef("", "--api-key %s=…: no --model uses %s", of, of)
		}
	}
	return nil
}

// needsSingleServer reports whether a flag without a provider needs a unique server.
func (s *settings) needsSingleServer() bool {
	return s.urls[""] != nil || s.keys[""].value != "" || s.protocol != nil || len(s.config.Header) > 0
}

// endpoint returns the endpoint of one model, which a flag names.
func (s *settings) endpoint(env Env, t *console, flag, name string) (endpoint, error) {
	p := endpoint{name: name, id: name, provider: provider.Preset{Protocol: s.protocol}}
	prefix, id, _ := strings.Cut(name, "/")
	preset, known := provider.PresetNamed(prefix)
	switch {
	case s.urls[""] != nil && s.protocol != nil: // a server that is not preset
	case known && id != "":
		p.provider, p.id = preset, id
		p.provider.Protocol = cmp.Or(s.protocol, preset.Protocol)
	case s.urls[""] != nil && !known:
		p.provider.Protocol = provider.Compatible()
	default:
		return p, providerError(flag, name)
	}
	return p, s.setURL(env, t, &p)
}

// providerError is the error for the model of a flag that is not of the form PROVIDER/NAME with a known provider.
func providerError(flag, model string) error {
	var providers, names []string
	for _, p := range provider.Presets() {
		providers, names = append(providers, p.Name), append(names, p.Name+"/NAME")
	}
	if flag == "--model" {
		names = append(names, "replay:RUN", "demo")
	}
	hint := "use " + schema.JoinOr(names) + "; for another server add --base-url URL --api chat"
	prefix, _, found := strings.Cut(model, "/")
	switch {
	case slices.Contains(providers, prefix):
		return usagef(hint, "%s: %q names no model", flag, model)
	case !found:
		return usagef(hint, "%s: %q names no provider", flag, model)
	}
	return usagef(cmp.Or(schema.DidYouMean(prefix, providers), hint), "%s: unknown provider %q", flag, prefix)
}

// setURL sets the URL of an endpoint, nil for the provider's.
func (s *settings) setURL(env Env, t *console, p *endpoint) (err error) {
	source := "flag --base-url"
	if p.url = cmp.Or(s.urls[p.provider.Name], s.urls[""]); p.url == nil {
		source = sourceDefault
		if p.provider.Name == "ollama" {
			if p.url, source, err = s.resolved.ollamaHost(env, t); err != nil {
				return err
			}
		}
	}
	if complete := p.provider.Protocol.CompleteURL; p.url != nil && complete != nil {
		p.url = complete(p.url)
	}
	at := p.provider.BaseURL
	if p.url != nil {
		at = recordedURL(t, p.url)
	}
	s.resolved.note(strings.TrimSpace(settingServer+p.provider.Name), at, source)
	return nil
}

// authorize adds the key to the header of an endpoint: from --api-key, or else from the provider's environment
// variable. The variable is used only for the provider's own address, and not if a header with credentials is given. A
// missing required key is a *[missingSecretError].
func (s *settings) authorize(env Env, t *console, p *endpoint) error {
	p.header = s.config.Header.Clone()
	held := s.keys[p.provider.Name]
	if held.value == "" {
		held = s.keys[""]
	}
	if err := s.checkSecrets(*p, held); err != nil {
		return err
	}
	key := held.value
	given := slices.ContainsFunc(provider.CredentialHeaders(), func(name string) bool { return p.header.Get(name) != "" })
	elsewhere := s.urls[p.provider.Name] != nil || s.urls[""] != nil
	if key == "" && !given && !elsewhere {
		var err error
		if key, err = providerKey(env, t, *p); err != nil {
			return err
		}
	}
	if key != "" {
		p.provider.Authorize(p.header, key)
	}
	return nil
}

// checkSecrets refuses secrets that the server of an endpoint must not get.
func (s *settings) checkSecrets(p endpoint, key apiKey) error {
	to := p.url
	if to == nil {
		var err error
		if to, err = url.Parse(p.provider.BaseURL); err != nil {
			return fmt.Errorf("provider %s: %w", p.provider.Name, err)
		}
	}
	isOfAgent := s.urlsOf != "" && (s.urls[p.provider.Name] != nil || s.urls[""] != nil)
	for _, h := range append(slices.Clone(s.sent), headerSecrets{"--api-key", key.used}) {
		if i := slices.IndexFunc(h.used, func(c credential) bool { return len(c.hosts) == 0 }); i >= 0 && isOfAgent {
			name := h.used[i].name
			return usagef("allow it with --secret "+name+"@"+to.Hostname()+"=env:"+name, "%s: the %s sets base_url, and the secret %s is bound to no host", h.flag, s.urlsOf, name)
		}
		if err := checkDestination(h.flag, h.used, to); err != nil {
			return err
		}
	}
	return nil
}

// providerKey returns the key in the first set variable of the provider, or "" if none is set or needed.
func providerKey(env Env, t *console, p endpoint) (string, error) {
	for _, name := range p.provider.Keys {
		if key := env.Getenv(name); strings.TrimSpace(key) != "" {
			return t.hideVariable(name, key)
		}
	}
	if p.provider.NeedsKey {
		return "", &missingSecretError{"model " + p.name, p.provider.Keys}
	}
	return "", nil
}

// client returns a client for a model. It makes no connection.
func (s *settings) client(p endpoint, seed [32]byte, defaults map[string]json.RawMessage) *provider.Client {
	c := s.config
	c.Provider, c.BaseURL, c.Name, c.Model, c.Header, c.Defaults = p.provider, p.url, p.name, p.id, p.header, defaults
	c.Rand = rand.New(rand.NewChaCha8(seed)).Float64
	return provider.New(c)
}

// A probed holds the capabilities of a model.
type probed struct {
	native   bool                       // supports native calls, as far as known
	isBlind  bool                       // cannot read images
	defaults map[string]json.RawMessage // of its requests
	probeErr error                      // why the server did not answer
	at       time.Time                  // of the probe
}

// isDown reports whether the server did not answer within the last cool-down.
func (p *probed) isDown() bool { return p.probeErr != nil && time.Since(p.at) < provider.CoolDown }

// requirements select the facts about a model that a run needs.
type requirements struct {
	calls   bool // native calls
	context bool // the context length
	images  bool // whether it reads images
	another bool // a fallback exists
}

// probe queries the capabilities of a model if its server reports them, and fixes its context length so that the server cannot
// change it during the run. A failing server is an error unless there is a fallback; a missing model always is.
func (s *settings) probe(ctx context.Context, p endpoint, m requirements) (probed, error) {
	client := s.client(p, [32]byte{}, nil)
	if !client.ReportsCapabilities() || !m.calls && !m.context && !m.images {
		return probed{native: true}, nil
	}
	can, err := client.Show(ctx)
	switch {
	case err == nil:
	case m.another && ctx.Err() == nil && !as[*provider.UnknownModelError](err):
	default:
		return probed{}, err
	}
	c := probed{native: can.Tools || err != nil, isBlind: can.Known && !can.Vision, probeErr: err, at: time.Now()} // if unknown, a rejection switches later
	if m.context {
		c.defaults = map[string]json.RawMessage{"num_ctx": json.RawMessage(strconv.Itoa(ollamaContext(can)))}
	}
	return c, nil
}

// ollamaContext returns the context that a model of Ollama gets, in tokens.
func ollamaContext(can wire.Capabilities) int {
	switch {
	case can.NumCtx > 0:
		return can.NumCtx
	case can.ContextLength > 0:
		return min(defaultContext, can.ContextLength)
	}
	return defaultContext
}

// onlyModel returns the only model of Ollama. More or fewer are an error.
func (s *settings) onlyModel(ctx context.Context, env Env, t *console) (string, error) {
	p := endpoint{name: "ollama", provider: provider.Preset{}}
	p.provider, _ = provider.PresetNamed("ollama")
	if err := s.setURL(env, t, &p); err != nil {
		return "", err
	}
	if err := s.authorize(env, t, &p); err != nil {
		return "", err
	}
	models, err := s.client(p, [32]byte{}, nil).List(ctx)
	if err != nil {
		problem := "cannot list its models"
		if isUnreachable(err) {
			problem = "cannot be reached"
		}
		err = fmt.Errorf("no --model given, and Ollama %s: %w", problem, err)
		if hint := hintOfSetKeys(env); hint != "" {
			return "", &hintedError{err, hint + "; or " + hintOllama}
		}
		return "", err
	}
	switch len(models) {
	case 0:
		return "", usagef("install one (ollama pull NAME), or "+hintKey, "no --model given, and Ollama has no models")
	case 1:
		return "ollama/" + models[0].Name, nil
	}
	names := make([]string, len(models))
	for i, m := range models {
		names[i] = "ollama/" + m.Name
	}
	return "", usagef("choose one, e.g. --model "+names[0], "no --model given, and Ollama has several models: %s", strings.Join(names, ", "))
}
