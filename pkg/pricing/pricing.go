// Package pricing computes the cost of requests to models.
//
// Prices come from a table that is part of the program, or from a configuration. All arithmetic is exact, in integers.
package pricing

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strings"

	"oneshot/pkg/chat"
)

// A Price is the price of a model. Its zero value is free of charge. In JSON it is an object like
//
//	{"input": 0.25, "output": 2, "cached_input": 0.025, "tiers": [{"above": 200000, "input": 0.5, "output": 4}]}
type Price struct {
	Rates
	Tiers []Tier `json:"tiers,omitempty"` // by ascending Above
}

// Rates are amounts of US dollars per million tokens.
type Rates struct {
	Input  chat.USD `json:"input"`
	Output chat.USD `json:"output"`
	// Nil members of a price have the rate of other input or output.
	CachedInput *chat.USD `json:"cached_input,omitempty"` // input read from the server's cache
	CacheWrite  *chat.USD `json:"cache_write,omitempty"`  // input written to it
	Reasoning   *chat.USD `json:"reasoning,omitempty"`
}

// A Tier holds the rates of requests with a longer input. They apply to all tokens of the request.
type Tier struct {
	Above int `json:"above"` // input tokens
	Rates
}

// Cost returns the cost of a response, rounded to the nearest nano-dollar.
func (p Price) Cost(u chat.Usage) chat.USD {
	rates := p.ratesFor(u)
	cached := min(u.CachedInputTokens, u.InputTokens)
	written := min(u.CacheWriteTokens, u.InputTokens-cached)
	reasoning := min(u.ReasoningTokens, u.OutputTokens)
	var s sum
	s.add(u.InputTokens-cached-written, rates.Input)
	s.add(cached, orElse(rates.CachedInput, rates.Input))
	s.add(written, orElse(rates.CacheWrite, rates.Input))
	s.add(u.OutputTokens-reasoning, rates.Output)
	s.add(reasoning, orElse(rates.Reasoning, rates.Output))
	return s.amount()
}

// Max returns the maximum cost of a response with this much input and output, whichever parts of them the server counts
// as read from its cache, written to it, or reasoning.
func (p Price) Max(u chat.Usage) chat.USD {
	rates := p.ratesFor(u)
	var s sum
	s.add(u.InputTokens, max(rates.Input, orElse(rates.CachedInput, 0), orElse(rates.CacheWrite, 0)))
	s.add(u.OutputTokens, max(rates.Output, orElse(rates.Reasoning, 0)))
	return s.amount()
}

// ratesFor returns the rates of a request with a usage.
func (p Price) ratesFor(u chat.Usage) Rates {
	rates := p.Rates
	for _, t := range p.Tiers {
		if u.InputTokens > t.Above {
			rates = t.Rates
		}
	}
	return rates
}

func orElse(rate *chat.USD, other chat.USD) chat.USD {
	if rate != nil {
		return *rate
	}
	return other
}

// A sum is an amount in units of 1e-15 dollars: tokens times nano-dollars per million tokens.
type sum struct{ hi, lo uint64 }

func (s *sum) add(tokens int, rate chat.USD) {
	hi, lo := bits.Mul64(uint64(max(0, tokens)), uint64(max(0, rate)))
	var carry uint64
	s.lo, carry = bits.Add64(s.lo, lo, 0)
	s.hi, _ = bits.Add64(s.hi, hi, carry)
}

// amount returns the sum rounded to nano-dollars, at most the largest amount.
func (s sum) amount() chat.USD {
	const unit = 1_000_000
	lo, carry := bits.Add64(s.lo, unit/2, 0)
	if s.hi += carry; s.hi >= unit {
		return math.MaxInt64
	}
	n, _ := bits.Div64(s.hi, lo, unit)
	return chat.USD(min(n, math.MaxInt64))
}

// Prices are prices by model, as PROVIDER/NAME.
type Prices map[string]Price

// ParsePrices reads the JSON object of a configuration, with a [Price] for each model. Unknown members are an error.
func ParsePrices(doc []byte) (Prices, error) {
	var all map[string]json.RawMessage
	if err := json.Unmarshal(doc, &all); err != nil {
		return nil, err
	}
	prices := Prices{}
	for _, model := range slices.Sorted(maps.Keys(all)) {
		p, err := ParsePrice(all[model])
		if err != nil {
			return nil, fmt.Errorf("price of %s: %w", model, err)
		}
		prices[model] = p
	}
	return prices, nil
}

// ParsePrice reads a price as JSON. Its input and output are required; missing rates of a tier are those of the
// price.
func ParsePrice(doc []byte) (p Price, err error) {
	var in struct {
		priceMembers
		Tiers []struct {
			Above *int `json:"above"`
			priceMembers
		} `json:"tiers"`
	}
	strict := json.NewDecoder(bytes.NewReader(doc))
	strict.DisallowUnknownFields()
	if err := strict.Decode(&in); err != nil {
		return p, fmt.Errorf("%s", strings.TrimPrefix(err.Error(), "json: "))
	}
	if in.Input == nil || in.Output == nil {
		return p, fmt.Errorf("input and output are required, in US dollars per million tokens")
	}
	p.Rates = in.over(Rates{})
	for _, t := range in.Tiers {
		if t.Above == nil {
			return p, fmt.Errorf("a tier needs above, a number of input tokens")
		}
		p.Tiers = append(p.Tiers, Tier{*t.Above, t.over(p.Rates)})
	}
	slices.SortStableFunc(p.Tiers, func(a, b Tier) int { return a.Above - b.Above })
	return p, nil
}

// priceMembers are the members of a price in JSON that may be missing.
type priceMembers struct {
	Input       *chat.USD `json:"input"`
	Output      *chat.USD `json:"output"`
	CachedInput *chat.USD `json:"cached_input"`
	CacheWrite  *chat.USD `json:"cache_write"`
	Reasoning   *chat.USD `json:"reasoning"`
}

// over returns the rates, and those of a base for missing ones.
func (m priceMembers) over(base Rates) Rates {
	r := Rates{Input: orElse(m.Input, base.Input), Output: orElse(m.Output, base.Output), CachedInput: m.CachedInput, CacheWrite: m.CacheWrite, Reasoning: m.Reasoning}
	for _, member := range []struct {
		to   **chat.USD
		base *chat.USD
	}{{&r.CachedInput, base.CachedInput}, {&r.CacheWrite, base.CacheWrite}, {&r.Reasoning, base.Reasoning}} {
		if *member.to == nil {
			*member.to = member.base
		}
	}
	return r
}

// String returns the price as JSON.
func (p Price) String() string {
	text, _ := json.Marshal(p) // amounts have JSON
	return string(text)
}
