package cmd

import (
	"maps"
	"net"
	"slices"
	"strings"
	"time"

	"oneshot/pkg/agent"
	"oneshot/pkg/chat"
	"oneshot/pkg/pricing"
	"oneshot/pkg/provider"
	"oneshot/pkg/runfile"
)

// unknownPrice is the value of the setting of an unknown price.
const unknownPrice = "unknown"

// sourceLoopback is the source of the price of a model that runs on this machine.
const sourceLoopback = "loopback"

// prices returns the prices of the models of a run, and notes them for its record. A resumed run and a replay use those on
// record. A price that is not on record, or unknown there, is that of today.
func (p *sharedPlan) prices(at time.Time) agent.Prices {
	m := p.models
	out := agent.Prices{Of: pricing.Prices{}, Turn: m.names, Answer: m.names}
	if m.hasResponder {
		last := len(m.names) - 1
		out.Turn, out.Answer = m.names[:last], m.names[last:]
	}
	var recorded map[string]runfile.Setting
	if p.recorded.resumed != nil {
		recorded = recordedSettings(p.recorded.resumed.log)
	}
	if replay := p.recorded.replay; replay != nil {
		recorded = recordedSettings(replay.log)
		out.Turn = replay.responders()
		out.Answer = out.Turn
		if replay.name == demo {
			for _, model := range out.Turn {
				out.Of[model] = pricing.Price{}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(recorded)) {
		s := recorded[name]
		model, ok := strings.CutPrefix(name, runfile.PriceSetting)
		if !ok {
			continue
		}
		price, err := pricing.ParsePrice([]byte(s.Value))
		isKnown := err == nil
		if own, isSet := p.console.defaults.prices[model]; !isKnown && isSet && p.recorded.replay == nil {
			price, s.Value, s.Source, isKnown = own.Price, own.Price.String(), own.source, true
		}
		if isKnown {
			out.Of[model] = price
		}
		if isKnown || len(m.endpoints) == 0 {
			p.resolved.note(s.Name, s.Value, s.Source)
		}
	}
	for _, e := range m.endpoints {
		if _, isKnown := out.Of[e.name]; isKnown {
			continue
		}
		price, source, ok := e.price(at)
		if own, isSet := p.console.defaults.prices[e.name]; isSet {
			price, source, ok = own.Price, own.source, true
		}
		if !ok {
			p.resolved.note(runfile.PriceSetting+e.name, unknownPrice, sourceDefault)
			continue
		}
		p.resolved.note(runfile.PriceSetting+e.name, price.String(), source)
		out.Of[e.name] = price
	}
	return out
}

// price returns the price of a model and its source: the table, also for its models behind a gateway on this machine, or else a
// price of 0 for a model that runs on this machine.
func (e endpoint) price(at time.Time) (p pricing.Price, source string, ok bool) {
	if p, ok := pricing.Lookup(e.name, at); ok && e.provider.Name != "" {
		return p, pricing.Source(), true
	}
	return p, sourceLoopback, e.isLoopback()
}

// isLoopback reports whether the server runs on this machine.
func (e endpoint) isLoopback() bool {
	host := e.url
	if host == nil {
		host, _ = serverURL("", e.provider.BaseURL)
	}
	if host == nil {
		return false
	}
	ip := net.ParseIP(host.Hostname())
	return host.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}

// responders returns the models that responded in the recorded run.
func (r *recording) responders() (names []string) {
	seen := map[string]bool{}
	for _, record := range r.log.LiveRecords() {
		if b, ok := record.Body.(runfile.Response); ok && !seen[b.By] {
			seen[b.By] = true
			names = append(names, b.By)
		}
	}
	return names
}

// checkPrices refuses a budget of money, set by a flag or a policy, for a model whose price is unknown: one that the run uses,
// or has used before it was resumed.
func checkPrices(budget string, limit chat.USD, cfg agent.Config) error {
	model, ok := cfg.UnknownPrice()
	if limit == 0 || !ok {
		return nil
	}
	hint := "set it in config.yaml under " + pricesKey + ", or limit --max-total-tokens instead"
	if _, known := provider.PresetNamed(strings.SplitN(model, "/", 2)[0]); known {
		hint = "check its name, " + hint
	}
	return usagef(hint, "%s: the price of %s is unknown", budget, model)
}
