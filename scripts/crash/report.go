//go:build unix

package main

import (
	"fmt"
	"io"
	"strings"
)

// print prints the counts, and for each violation a command that reproduces it.
func (s *sweep) print(w io.Writer, chosen []disturbance) error {
	var b strings.Builder
	b.WriteString("| way | states |")
	for _, g := range violationKinds {
		fmt.Fprintf(&b, " %s |", g)
	}
	b.WriteString("\n|---|---|" + strings.Repeat("---|", len(violationKinds)) + "\n")
	total := &tally{violations: map[violationKind]int{}}
	for _, way := range chosen {
		t := s.tallies[way.id]
		t.appendRow(&b, way.id+": "+way.what)
		total.states += t.states
		for g, n := range t.violations {
			total.violations[g] += n
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
			v.scenario, v.place, v.kind, strings.TrimSpace(v.why), s.seed, v.disturbance, v.scenario, formatNumbers(v.at))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// shown is the maximum number of printed violations.
const shown = 20

func (t *tally) appendRow(b *strings.Builder, name string) {
	fmt.Fprintf(b, "| %s | %d |", name, t.states)
	for _, g := range violationKinds {
		fmt.Fprintf(b, " %d |", t.violations[g])
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
