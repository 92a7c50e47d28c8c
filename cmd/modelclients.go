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

// chosenModels are the models of a command.
type chosenModels struct {
	names []string    // PROVIDER/NAME or the recording; the main model first, the responder last
	main  agent.Model // a recording; otherwise nil until [chosenModels.seeded]

	answer  agent.Model        // of the final answer; nil: main
	clients []*provider.Client // of all servers

	settings     *settings
	endpoints    []endpoint
	probed       []probed // in the order of endpoints
	breakers     *breakers
	hasResponder bool

	isNative, nativeOnly bool // calls
	hasServerFlags       bool
}

// byRole returns the names of the main model with its fallbacks, and that of the responder, if there is one.
func (m *chosenModels) byRole() (models, responder []string) {
	if !m.hasResponder {
		return m.names, nil
	}
	last := len(m.names) - 1
	return m.names[:last], m.names[last:]
}

// probe queries the capabilities of the models.
func (m *chosenModels) probe(ctx context.Context, t *console, wanted requirements) error {
	for _, e := range m.endpoints {
		c, err := m.settings.probe(ctx, e, wanted)
		if err != nil {
			return m.withHint(err)
		}
		if c.probeErr != nil {
			t.note("model %s: %v", e.name, c.probeErr)
		}
		m.probed = append(m.probed, c)
	}
	return nil
}

// seeded returns the models of one run, with clients of their own: the waits between their attempts depend on the seed, and
// a client keeps the conversation that it has sent. A recording is returned as it is.
func (m *chosenModels) seeded(seed [32]byte) *chosenModels {
	if m.main != nil {
		return m
	}
	run := *m
	run.clients = nil
	for i, e := range m.endpoints {
		run.clients = append(run.clients, m.settings.client(e, seed, m.probed[i].defaults))
	}
	fallbacks := len(run.clients)
	if m.hasResponder {
		fallbacks--
		run.answer = run.clients[fallbacks]
	}
	run.main = run.withFallbacks(fallbacks)
	return &run
}

// withFallbacks returns the model and its fallbacks, which are the first n clients.
func (m *chosenModels) withFallbacks(n int) agent.Model {
	if n == 1 {
		return m.clients[0]
	}
	var members []provider.Member
	for i, c := range m.clients[:n] {
		members = append(members, provider.Member{Name: c.Name(), Server: m.endpoints[i].address(), Model: c})
	}
	all := provider.NewFallback(members...)
	m.breakers.share(all, members)
	for i := range members {
		if m.probed[i].isDown() {
			all.Open(i, m.probed[i].at)
		}
	}
	return all
}

// shareProbeFailures shares with other runs the models with fallbacks that did not answer when they were probed.
func (m *chosenModels) shareProbeFailures() {
	if m.breakers == nil {
		return
	}
	for i, e := range m.endpoints {
		if isMember := i < len(m.endpoints)-1 || !m.hasResponder; isMember && m.probed[i].isDown() {
			m.breakers.setFailure(breakerKey(e.name, e.address()), m.probed[i].at)
		}
	}
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

// chooseNativeCalls selects native calls if the flag asks for them, or if it is auto and every model supports them.
func (m *chosenModels) chooseNativeCalls(flag string, hasTools bool) error {
	unable := slices.IndexFunc(m.probed, func(c probed) bool { return !c.native })
	switch {
	case flag == native && unable >= 0:
		return usagef("omit --dialect", "--dialect native: model %s does not support native calls", m.endpoints[unable].name)
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
	try := "see oneshot doctor --model " + strings.Join(m.names, " --model ")
	if m.hasServerFlags {
		try = "see oneshot doctor with the same model flags"
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
