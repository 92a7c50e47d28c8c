//go:build unix

package main

import (
	"fmt"
	"io"
	"strings"
)

// print prints what was tried and found, and how to see each violation again.
func (s *sweep) print(w io.Writer, chosen []way) error {
	var b strings.Builder
	b.WriteString("| way | states |")
	for _, g := range guilts {
		fmt.Fprintf(&b, " %s |", g)
	}
	b.WriteString("\n|---|---|" + strings.Repeat("---|", len(guilts)) + "\n")
	total := &tally{guilty: map[guilt]int{}}
	for _, way := range chosen {
		t := s.tallies[way.id]
		t.appendRow(&b, way.id+": "+way.what)
		total.states += t.states
		for g, n := range t.guilty {
			total.guilty[g] += n
		}
	}
	total.appendRow(&b, "all")
	for _, text := range s.skipped {
		fmt.Fprintf(&b, "\nskipped: %s\n", strings.TrimSpace(text))
	}
	for i, v := range s.violations {
		if i == shown {
			fmt.Fprintf(&b, "\nand %d more\n", len(s.violations)-shown)
			break
		}
		fmt.Fprintf(&b, "\n%s%s\n    %s: %s\n    make crash ARGS=\"-keep -seed %d -only %s -scenario '%s' -at %s\"\n",
			v.scenario, v.place, v.guilt, strings.TrimSpace(v.why), s.seed, v.way, v.scenario, formatNumbers(v.at))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// shown is how many violations are printed.
const shown = 20

func (t *tally) appendRow(b *strings.Builder, name string) {
	fmt.Fprintf(b, "| %s | %d |", name, t.states)
	for _, g := range guilts {
		fmt.Fprintf(b, " %d |", t.guilty[g])
	}
	b.WriteString("\n")
}

func formatNumbers(at []int) string {
	var parts []string
	for _, n := range at {
		parts = append(parts, fmt.Sprint(n))
	}
	return strings.Join(parts, ",")
}
