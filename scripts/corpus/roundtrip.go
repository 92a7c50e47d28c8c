package main

import (
	"fmt"
	"runtime/debug"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
)

// A round is one call that was written in a dialect and read again.
type round struct {
	id, dialect string
	text        string
	want, got   []string
	codes       []diag.Code
	unsaid      bool // the dialect cannot write it
	ok          bool
}

// roundTrips writes every call of a seed in every dialect and reads it again with
// the tools of the seed.
func roundTrips(r *row, dialects []string) []round {
	var all []round
	for _, name := range dialects {
		for _, w := range r.Calls {
			all = append(all, withTimeout(patience, func() round { return roundTrip(r, name, w) }, func() round {
				return round{id: r.ID, dialect: name, want: []string{w.String()}, got: []string{fmt.Sprintf("no end after %v", patience)}}
			}))
		}
	}
	return all
}

// roundTrip writes a call and reads it again: it must come back with its
// arguments as they are, executable and without any other call. A panic fails the
// call and not the program.
func roundTrip(r *row, name string, w wantCall) (x round) {
	x = round{id: r.ID, dialect: name, want: []string{w.String()}}
	defer func() {
		if p := recover(); p != nil {
			x.got = []string{"panic: " + fmt.Sprint(p) + "\n" + firstFrames(string(debug.Stack()))}
		}
	}()
	text, ok := renderCall(name, chat.Call{Name: w.Name, Arguments: w.Arguments}, r.Tools)
	if x.text, x.unsaid = text, !ok; x.unsaid {
		return x
	}
	g := readText(x.text, setting{dialect: name, tools: r.Tools})
	for _, c := range g.calls {
		x.got = append(x.got, describe(c))
	}
	x.codes = codesOf(g.findings)
	x.ok = len(g.calls) == 1 && g.calls[0].Executable && w.matches(g.calls[0])
	return x
}
