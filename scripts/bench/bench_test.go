//go:build unix

package main

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func TestMedian(t *testing.T) {
	tests := []struct {
		values []float64
		want   float64
	}{
		{[]float64{7}, 7},
		{[]float64{9, 1, 5}, 5},
		{[]float64{9, 1, 5, 2}, 3.5},
	}
	for _, test := range tests {
		if got := median(test.values, func(v float64) float64 { return v }); got != test.want {
			t.Errorf("median(%v) = %v, want %v", test.values, got, test.want)
		}
	}
}

func TestOverheadIsPerTurn(t *testing.T) {
	at := func(ms float64) []Sample {
		return []Sample{{Wall: time.Duration(ms * float64(time.Millisecond)), RSS: 20 << 20}}
	}
	const extra = longTurns - shortTurns
	rows := overheadRows([][]Sample{at(4), at(30), at(28), at(4 + extra), at(30 + 1.25*extra), at(28 + 2*extra)})
	want := []struct {
		value float64
		met   string
	}{{30, "no"}, {0.25, "yes"}, {20, "yes"}, {28, "yes"}, {1, "no"}, {20, "yes"}}
	for i, row := range rows {
		if diff := row.Value - want[i].value; diff > 0.001 || diff < -0.001 || row.verdict() != want[i].met {
			t.Errorf("%s = %.3f, met: %s; want %.3f, %s", row.What, row.Value, row.verdict(), want[i].value, want[i].met)
		}
	}
}

func TestCorporaAreOneKilobyte(t *testing.T) {
	for name, text := range map[string]string{"response": response(), "broken JSON": brokenJSON()} {
		if len(text) != 1024 {
			t.Errorf("%s has %d bytes", name, len(text))
		}
	}
}

func TestScriptOfTheServer(t *testing.T) {
	for turn, want := range map[int]string{1: "vault_search", 2: "finalResponse", 3: `"answer"`} {
		if got := say(turn, 3); !strings.Contains(got, want) {
			t.Errorf("turn %d: %q, want %s", turn, got, want)
		}
	}
}

func TestPrintIsOneTable(t *testing.T) {
	report := Report{Rows: []Row{{ID: "B1", What: "x", Value: 2, Unit: "ms", Base: 4}, Row{ID: "B6"}.goal("≤ 1", false)}}
	var out bytes.Buffer
	if err := report.Print(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"| 0.50× |", "| – |", "| no |"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}
