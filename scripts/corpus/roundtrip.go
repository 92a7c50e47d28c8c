package main

import (
	"fmt"
	"runtime/debug"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
)

// A roundTripResult is the result of rendering a call in a dialect and reading
// it back.
type roundTripResult struct {
	id, dialect string
	text        string
	want, got   []string
	codes       []diag.Code
	unsaid      bool // the dialect cannot express it
	ok          bool
}

// roundTrips renders every call of a seed in every dialect and reads it back
// with the tools of the seed.
func roundTrips(r *row, dialects []string) []roundTripResult {
	var all []roundTripResult
	for _, name := range dialects {
		for _, w := range r.Calls {
			all = append(all, withTimeout(patience, func() roundTripResult { return roundTrip(r, name, w) }, func() roundTripResult {
				return roundTripResult{id: r.ID, dialect: name, want: []string{w.String()}, got: []string{fmt.Sprintf("no end after %v", patience)}}
			}))
		}
	}
	return all
}

// roundTrip renders a call and reads it back: exactly one executable call with
// the same arguments. A panic fails the call, not the program.
func roundTrip(r *row, name string, w expectedCall) (x roundTripResult) {
	x = roundTripResult{id: r.ID, dialect: name, want: []string{w.String()}}
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
		x.got = append(x.got, describeCall(c))
	}
	x.codes = codesOf(g.findings)
	x.ok = len(g.calls) == 1 && g.calls[0].Executable && w.matches(g.calls[0])
	return x
}
