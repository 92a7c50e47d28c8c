package cmd

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"oneshot/pkg/agent"
	"oneshot/pkg/chat"
	"oneshot/pkg/provider"
)

// chosenModels are the models of a run.
type chosenModels struct {
	names   []string           // PROVIDER/NAME or the recording; the main model first, the responder last
	clients []*provider.Client // of all servers
	main    agent.Model
	answer  agent.Model // of the final answer; nil: main

	isNative, nativeOnly bool // calls
	hasServerFlags       bool
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
	failed := b.lastFailures(time.Now())
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
