package main

import (
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"oneshot/pkg/diag"
)

// A verdict classifies a row.
type verdict int

const (
	equal         verdict = iota
	different             // on purpose: the list of differences says why
	failed                // anything else
	notApplicable         // the row is about something that oneshot does not do
)

func (v verdict) String() string {
	return [...]string{"equal", "different", "failed", "not applicable"}[v]
}

// An outcome is the result of a row.
type outcome struct {
	*row
	verdict verdict
	why     string // of what is different or not applicable
	near           // how an equal row is not quite the same
	law     string // how the streaming law is broken; "" if it is not
	faults  []fault
	facets  []facet
	codes   []diag.Code // of the findings
	setting string      // how the text was read
	state   string      // what was read, in a few words: how each call stands, or what a value is
	facts   string      // what was read, whole

	found *detection // what the text alone told; nil where that was not asked
}

// A near says by which rule of the comparison a row is equal.
type near struct {
	ends     bool // blanks at the ends of texts differ
	held     bool // what the reference returns is not executed here, or is no call there
	repaired bool // what the reference refuses is repaired here
	early    bool // what was read before the text had ended
}

// A facet is one side of a row for people: what is wanted and what was read.
type facet struct {
	name         fault
	theirs, ours []string // a line for each call or text
}

// A check holds one row against oneshot.
type check func(r *row) outcome

// checkOf returns what checks a row, by the kind of the row.
func checkOf(r *row) check {
	if why, ok := inapplicableReason(r); ok {
		return func(r *row) outcome { return outcome{row: r, verdict: notApplicable, why: why} }
	}
	switch {
	case strings.HasPrefix(r.Dialect, "native_"):
		return checkBody
	case r.Dialect == "swe_agent:FunctionCallingParser":
		return checkNativeCalls
	}
	switch r.Kind {
	case "":
		return checkText
	case "schema-acceptance":
		return checkAcceptance
	case "detectToolCallStart":
		return checkCallStart
	case "safeParseToolCallArgs":
		return checkArguments
	case "json-repair":
		return checkRepair
	}
	return func(r *row) outcome { return failedOutcome(r, "kind", "nothing checks rows of kind "+quote(r.Kind)) }
}

// patience is how long one row, or one round trip, may take.
const patience = 20 * time.Second

// checkWithTimeout checks a row. A reader that does not come to an end fails the row and not
// the program, and is left behind.
func checkWithTimeout(r *row, patience time.Duration) outcome {
	return withTimeout(patience, func() outcome { return checkRecovered(r) }, func() outcome {
		return failedOutcome(r, "deadline", fmt.Sprintf("no end after %v", patience))
	})
}

// withTimeout returns what do returns, or what late returns if that takes too long.
func withTimeout[T any](patience time.Duration, do, late func() T) T {
	done := make(chan T, 1)
	go func() { done <- do() }()
	alarm := time.NewTimer(patience)
	defer alarm.Stop()
	select {
	case x := <-done:
		return x
	case <-alarm.C:
		return late()
	}
}

// checkRecovered checks a row. A panic in the reader fails the row and not the program.
func checkRecovered(r *row) (o outcome) {
	defer func() {
		if p := recover(); p != nil {
			o = failedOutcome(r, "panic", fmt.Sprint(p)+"\n"+firstFrames(string(debug.Stack())))
		}
	}()
	return checkOf(r)(r)
}

// firstFrames returns where a panic came from.
func firstFrames(stack string) string {
	_, below, _ := strings.Cut(stack, "panic(")
	lines := strings.Split(below, "\n")
	return strings.Join(lines[min(2, len(lines)):min(8, len(lines))], "\n")
}

// failedOutcome returns a failed outcome with one fault.
func failedOutcome(r *row, name fault, ours string) outcome {
	return outcome{row: r, verdict: failed, faults: []fault{name}, facets: []facet{{name: name, ours: []string{ours}}}}
}

// withVerdict sets the verdict from the faults.
func (o outcome) withVerdict() outcome {
	if len(o.faults) > 0 {
		o.verdict = failed
	}
	return o
}

// codesOf lists the codes of findings.
func codesOf(findings []diag.Finding) []diag.Code {
	var codes []diag.Code
	for _, f := range findings {
		codes = append(codes, f.Code)
	}
	return codes
}
