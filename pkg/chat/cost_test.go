package chat

import (
	"encoding/json"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// P9: amounts are exact, and an unknown cost is null, never 0.
func TestCostJSON(t *testing.T) {
	for want, c := range map[string]Cost{
		`0`:                    {Known: true},
		`0.000000001`:          {1, true},
		`1.5`:                  {1_500_000_000, true},
		`120`:                  {120 * NanosPerUSD, true},
		`9223372036.854775807`: {math.MaxInt64, true},
		`null`:                 {},
	} {
		got, err := json.Marshal(c)
		var back Cost
		if err != nil || string(got) != want || json.Unmarshal(got, &back) != nil || back != c {
			t.Errorf("%+v: %s, %v, back %+v; want %s", c, got, err, back, want)
		}
	}
	if got := (Cost{5, true}).Add(Cost{7, false}); got != (Cost{12, false}) {
		t.Errorf("the sum with an unknown cost is %+v", got)
	}
	if got, _ := json.Marshal(Cost{Amount: 5}); string(got) != "null" {
		t.Errorf("an unknown cost with a known part is %s", got)
	}
}

func TestParseUSD(t *testing.T) {
	for _, text := range []string{"", ".5", "1.", "-1", "+1", "1e3", "0x1", "1,5", " 1", "1.0000000001", "9223372037", "NaN", "1.5.5", "${X}"} {
		if u, err := ParseUSD(text); err == nil {
			t.Errorf("%q is %v", text, u)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		u := USD(rapid.Int64Min(0).Draw(t, "nanos"))
		if got, err := ParseUSD(u.String()); err != nil || got != u {
			t.Fatalf("%d: %s is read as %d, %v", u, u, got, err)
		}
	})
}

// Sums stop at the largest amount instead of becoming negative.
func TestUSDAdd(t *testing.T) {
	if got := USD(math.MaxInt64 - 1).Add(2); got != math.MaxInt64 {
		t.Errorf("got %v", got)
	}
	if got := USD(3).Add(4); got != 7 {
		t.Errorf("got %v", got)
	}
}
