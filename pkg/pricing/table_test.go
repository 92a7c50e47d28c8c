package pricing

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"oneshot/pkg/chat"
)

// tableDay is the date of the table's source, which also has prices from later days.
var tableDay = time.Date(2026, 9, 23, 12, 0, 0, 0, time.UTC)

// P9: the table has the prices of its source, and computes the same costs for its samples.
func TestTableAgainstSource(t *testing.T) {
	dir := os.Getenv("ONESHOT_PRICE_TABLE")
	if dir == "" {
		t.Skip("the price table was not compared with its source: ONESHOT_PRICE_TABLE=$(scripts/prices check) fetches it")
	}
	if want, err := os.ReadFile(filepath.Join(dir, "table.txt")); err != nil || string(want) != table {
		t.Errorf("table.txt differs from its source (%v); scripts/prices writes it", err)
	}
	samples, err := os.ReadFile(filepath.Join(dir, "samples.txt"))
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for line := range strings.Lines(string(samples)) {
		var provider, model string
		var u chat.Usage
		var want float64
		if _, err := fmt.Sscan(line, &provider, &model, &u.InputTokens, &u.CachedInputTokens, &u.CacheWriteTokens, &u.OutputTokens, &want); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		p, ok := Lookup(provider+"/"+model, tableDay)
		if got := float64(p.Cost(u)) / chat.NanosPerUSD; !ok || got-want > 2e-9 || want-got > 2e-9 {
			t.Errorf("%s/%s, %+v: %v, %v; the source computes %v", provider, model, u, got, ok, want)
		}
		count++
	}
	if count < 1000 {
		t.Errorf("only %d samples", count)
	}
}

// Every line has a provider of oneshot, patterns and a price.
func TestTableLines(t *testing.T) {
	if !strings.HasPrefix(Source(), "@pydantic/genai-prices ") {
		t.Errorf("source %q", Source())
	}
	for line := range strings.Lines(table) {
		fields := strings.Fields(line)
		if fields[0] == "#" {
			continue
		}
		p, err := ParsePrice([]byte(fields[len(fields)-1]))
		if len(fields) < 3 || len(fields) > 4 || err != nil || p.Input < 0 || p.Output > 2000*chat.NanosPerUSD {
			t.Errorf("%s%v", line, err)
		}
	}
}

func TestLookup(t *testing.T) {
	for _, c := range []struct {
		model, day, want string // the price, or "" for none
	}{
		{"openai/gpt-5-mini", "2026-11-21", `{"input":0.25,"output":2,"cached_input":0.025}`},
		{"OpenAI/GPT-5-Mini", "2026-11-21", `{"input":0.25,"output":2,"cached_input":0.025}`},
		{"openai/gpt-6-astra-2026-11-01", "2026-11-21", `{"input":10,"output":50,"cached_input":1,"cache_write":12.5,"tiers":[{"above":271999,"input":20,"output":75,"cached_input":2,"cache_write":25}]}`},
		{"openai/gpt-6-astra-latest", "2026-11-21", ""},
		{"openai/o3", "2025-06-09", `{"input":10,"output":40,"cached_input":0.5}`},
		{"openai/o3", "2025-06-10", `{"input":2,"output":8,"cached_input":0.5}`},
		{"gemini/gemini-2.5-pro-preview-tts", "2026-11-21", `{"input":1,"output":20}`},
		{"gemini/claude-opus-4-7", "2026-11-21", ""},
		{"openrouter/google/gemini-2.5-pro-exp-03-25:free", "2026-11-21", `{"input":0,"output":0}`},
		{"openai/another", "2026-11-21", ""},
		{"ollama/qwen3:8b", "2026-11-21", ""},
		{"gpt-5-mini", "2026-11-21", ""},
		{"", "2026-11-21", ""},
	} {
		day, err := time.Parse(time.DateOnly, c.day)
		if err != nil {
			t.Fatal(err)
		}
		p, ok := Lookup(c.model, day)
		if ok != (c.want != "") || ok && p.String() != c.want {
			t.Errorf("%s on %s: %v, %v; want %s", c.model, c.day, p, ok, c.want)
		}
	}
}

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		patterns, name string
		want           bool
	}{
		{"a,b", "b", true}, {"a", "ab", false}, {"a*", "ab", true}, {"*b", "ab", true}, {"*b", "ba", false}, {"*b*", "abc", true},
		{"a-##", "a-12", true}, {"a-##", "a-1x", false}, {"a-##", "a-123", false}, {"a#*", "a1b", true}, {"a#*", "ab", false},
		{"a*,!*-tts*", "a-tts", false}, {"!*-tts*,a*", "a-text", true}, {"*ab", "aab", true},
	} {
		if got := matchesAny(c.patterns, c.name); got != c.want {
			t.Errorf("%s, %s: %v", c.patterns, c.name, got)
		}
	}
}
