package agent

import (
	"slices"

	"oneshot/pkg/chat"
	"oneshot/pkg/pricing"
	"oneshot/pkg/runfile"
)

// Prices are the prices of the models of a run.
type Prices struct {
	Of pricing.Prices // by name, as PROVIDER/NAME; the price of a missing model is unknown
	// Turn and Answer are the models that may get the requests of a purpose: the model and its fallbacks. Their highest
	// price bounds the cost of a request before it is known who responds.
	Turn, Answer []string
}

// modelsForPurpose returns the models that may get the requests of a purpose.
func (p Prices) modelsForPurpose(purpose chat.Purpose) []string {
	if purpose == chat.PurposeAnswer {
		return p.Answer
	}
	return p.Turn
}

// UnknownPrice returns the first model without a known price: one that may get a request, or that a resumed run has spent on.
// ok is false if there is none.
func (c Config) UnknownPrice() (model string, ok bool) {
	models := slices.Concat(c.Prices.Turn, c.Prices.Answer)
	if !c.Replay { // a replay spends nothing
		for _, m := range c.spentBefore() {
			if m.Model != "" && m.Usage != (chat.Usage{}) { // some records do not name it
				models = append(models, m.Model)
			}
		}
	}
	for _, model := range models {
		if _, known := c.Prices.Of[model]; !known {
			return model, true
		}
	}
	return "", false
}

// spentBefore returns the usage of each request before a resumed run, of those that it repeats as well.
func (c Config) spentBefore() []chat.ModelUsage {
	return slices.Concat(c.Spent, unrepeated(&runfile.Log{Records: c.History}, nil))
}

// costOf returns the cost of a usage of a model.
func (p Prices) costOf(model string, u chat.Usage) chat.Cost {
	price, ok := p.Of[model]
	if !ok {
		return chat.Cost{Known: u == chat.Usage{}}
	}
	return chat.Cost{Amount: price.Cost(u), Known: true}
}

// mostExpensive returns the model for a purpose with which a usage may cost most, and that amount. The model is "" if none is
// named.
func (p Prices) mostExpensive(purpose chat.Purpose, u chat.Usage) (model string, most chat.USD) {
	for i, name := range p.modelsForPurpose(purpose) {
		if cost := p.Of[name].Max(u); i == 0 || cost > most {
			model, most = name, cost
		}
	}
	return model, most
}

// A ledger counts the usage of the models of a run by purpose, and its cost.
type ledger struct {
	prices Prices
	models []chat.ModelUsage
}

// newLedger returns a ledger with the requests that a resumed run does not repeat.
func newLedger(prices Prices, spent []chat.ModelUsage) ledger {
	l := ledger{prices: prices}
	for _, m := range spent {
		l.add(m.Model, m.Requests, m.Usage)
	}
	return l
}

// add counts a usage of a model.
func (l *ledger) add(model string, requests int, u chat.Usage) {
	i := slices.IndexFunc(l.models, func(m chat.ModelUsage) bool { return m.Model == model })
	if i < 0 {
		i = len(l.models)
		l.models = append(l.models, chat.ModelUsage{Model: model, Cost: chat.Cost{Known: true}})
	}
	m := &l.models[i]
	m.Requests += requests
	m.Usage = m.Usage.Add(u)
	m.Cost = m.Cost.Add(l.prices.costOf(model, u))
}

// total returns the sum over all models.
func (l *ledger) total() (u chat.Usage, c chat.Cost) {
	c.Known = true
	for _, m := range l.models {
		u, c = u.Add(m.Usage), c.Add(m.Cost)
	}
	return u, c
}

// unrepeated returns the usage of each request of a log that is not among the records that a resumed run repeats, with an
// estimate for requests during which the run was killed. It is not summed up, because the price of a request can depend on
// its size.
func unrepeated(log *runfile.Log, repeated []runfile.Record) (spent []chat.ModelUsage) {
	seqs := map[int]bool{}
	for _, r := range repeated {
		seqs[r.Seq] = true
	}
	var open runfile.OpenRequest
	for _, r := range log.Records {
		if lost, ok := open.Add(r); ok {
			spent = append(spent, lost)
		}
		switch b := r.Body.(type) {
		case runfile.Response:
			if !seqs[r.Seq] {
				spent = append(spent, chat.ModelUsage{Model: b.By, Requests: 1, Usage: b.Usage})
			}
		case runfile.Attempt:
			if !seqs[r.Seq] && b.Charged {
				spent = append(spent, chat.ModelUsage{Model: b.By, Usage: b.Usage})
			}
		}
	}
	if lost, ok := open.Close(); ok {
		spent = append(spent, lost)
	}
	return spent
}
