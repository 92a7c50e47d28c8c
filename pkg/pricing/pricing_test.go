package pricing

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"oneshot/pkg/chat"
)

func price(t *testing.T, doc string) Price {
	t.Helper()
	p, err := ParsePrice([]byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// P9: each kind of token has its own rate, and the rates of a tier apply to all tokens.
func TestCost(t *testing.T) {
	full := `{"input":1,"output":10,"cached_input":0.1,"cache_write":1.25,"reasoning":20,"tiers":[{"above":1000,"input":2,"cached_input":0.2}]}`
	for _, c := range []struct {
		name, doc string
		usage     chat.Usage
		want      string
	}{
		{"free", `{"input":0,"output":0}`, chat.Usage{InputTokens: 1e9, OutputTokens: 1e9}, "0"},
		{"plain", `{"input":0.25,"output":2}`, chat.Usage{InputTokens: 1000, OutputTokens: 500}, "0.00125"},
		{"cached input without a rate costs as input", `{"input":0.25,"output":2}`, chat.Usage{InputTokens: 1000, CachedInputTokens: 900, CacheWriteTokens: 50}, "0.00025"},
		{"every kind", full, chat.Usage{InputTokens: 1000, OutputTokens: 100, CachedInputTokens: 600, CacheWriteTokens: 200, ReasoningTokens: 40}, "0.00191"},
		{"a tier", full, chat.Usage{InputTokens: 1001, OutputTokens: 100, CachedInputTokens: 1000}, "0.001202"},
		{"parts that exceed the whole", `{"input":1,"output":1,"cached_input":0.5,"reasoning":3}`, chat.Usage{InputTokens: 10, CachedInputTokens: 1 << 40, CacheWriteTokens: 9, OutputTokens: 2, ReasoningTokens: 1 << 40}, "0.000011"},
		{"negative counts", `{"input":1,"output":1}`, chat.Usage{InputTokens: -5, OutputTokens: -1}, "0"},
		{"half a nano-dollar is rounded up", `{"input":0.0005,"output":0}`, chat.Usage{InputTokens: 1}, "0.000000001"},
		{"less is rounded down", `{"input":0.000499999,"output":0}`, chat.Usage{InputTokens: 1}, "0"},
		{"more than an amount holds", `{"input":9223372036,"output":9223372036}`, chat.Usage{InputTokens: 1 << 40, OutputTokens: 1 << 40}, chat.USD(math.MaxInt64).String()},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := price(t, c.doc).Cost(c.usage).String(); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// Max is the cost of the dearest split into kinds of tokens, in each tier.
func TestMax(t *testing.T) {
	full := `{"input":1,"output":10,"cached_input":0.1,"cache_write":1.25,"reasoning":20,"tiers":[{"above":1000,"input":2,"output":10,"cache_write":1.5}]}`
	for _, c := range []struct {
		name, doc string
		usage     chat.Usage
		want      string
	}{
		{"plain", `{"input":0.25,"output":2}`, chat.Usage{InputTokens: 1000, OutputTokens: 500}, "0.00125"},
		{"a cache is written, and all output is reasoning", full, chat.Usage{InputTokens: 1000, OutputTokens: 100}, "0.00325"},
		{"a tier", full, chat.Usage{InputTokens: 2000, OutputTokens: 100}, "0.006"},
		{"reasoning that costs less", `{"input":1,"output":4,"reasoning":3}`, chat.Usage{OutputTokens: 1000}, "0.004"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := price(t, c.doc).Max(c.usage).String(); got != c.want {
				t.Errorf("got %s, want %s", got, c.want)
			}
		})
	}
}

// The cost equals the one computed with integers of any size.
func TestCostIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		amount := rapid.Int64Range(0, 1000*chat.NanosPerUSD)
		tokens := rapid.IntRange(0, 1<<30)
		p := Price{Rates: Rates{Input: chat.USD(amount.Draw(t, "input")), Output: chat.USD(amount.Draw(t, "output"))}}
		u := chat.Usage{InputTokens: tokens.Draw(t, "in"), OutputTokens: tokens.Draw(t, "out")}
		sum := new(big.Int).Mul(big.NewInt(int64(u.InputTokens)), big.NewInt(int64(p.Input)))
		sum.Add(sum, new(big.Int).Mul(big.NewInt(int64(u.OutputTokens)), big.NewInt(int64(p.Output))))
		want := sum.Add(sum, big.NewInt(500_000)).Div(sum, big.NewInt(1_000_000)).Int64()
		if got := p.Cost(u); int64(got) != want {
			t.Fatalf("got %d, want %d", got, want)
		}
	})
}

func TestParsePrices(t *testing.T) {
	prices, err := ParsePrices([]byte(`{"openai/gpt-5-mini":{"input":0.25,"output":2,"cached_input":0.025},"own/model":{"input":0,"output":0}}`))
	if err != nil || len(prices) != 2 || prices["openai/gpt-5-mini"].CachedInput.String() != "0.025" {
		t.Errorf("%+v, %v", prices, err)
	}
	for doc, want := range map[string]string{
		`[]`:                                                 "cannot unmarshal array",
		`{"m":{"input":1}}`:                                  "price of m: input and output are required",
		`{"m":{"input":1,"output":2,"cost":3}}`:              `unknown field "cost"`,
		`{"m":{"input":"1","output":2}}`:                     "not an amount",
		`{"m":{"input":-1,"output":2}}`:                      "not an amount",
		`{"m":{"input":1e-3,"output":2}}`:                    "not an amount",
		`{"m":{"input":1,"output":2,"tiers":[{"input":3}]}}`: "a tier needs above",
		`{"m":null}`:                                         "are required",
	} {
		if _, err := ParsePrices([]byte(doc)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", doc, err)
		}
	}
}

// The recorded text of a price is read as the same price.
func TestPriceString(t *testing.T) {
	doc := `{"input":1,"output":10,"cached_input":0.1,"tiers":[{"above":1000,"input":2,"output":10,"cached_input":0.1}]}`
	if got := price(t, doc).String(); got != doc || price(t, got).String() != doc {
		t.Errorf("got %s", got)
	}
}
