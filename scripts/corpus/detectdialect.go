package main

import (
	"oneshot/pkg/chat"
)

// A detection is the result of reading a text without naming its dialect.
type detection struct {
	found     string // the dialect that was detected
	named     bool   // it is the row's dialect
	sameCalls bool   // the calls are those of a reading in the dialect of the row
	calls     bool   // the reference found calls
}

// detectDialect reads a text without naming its dialect.
func detectDialect(text string, s setting, named reading, w expectation) *detection {
	if w.anyCalls {
		return nil
	}
	name := s.dialect
	s.dialect = ""
	told := readText(text, s)
	return &detection{
		found:     told.dialect,
		named:     isSameDialect(told.dialect, name),
		sameCalls: hasSameExecutableCalls(named.calls, told.calls),
		calls:     len(w.calls) > 0,
	}
}

// hasSameExecutableCalls reports whether the executable calls of two readings are the same.
func hasSameExecutableCalls(a, b []chat.Call) bool {
	x, y := executableCalls(a), executableCalls(b)
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i].Name != y[i].Name || !isSameJSON(x[i].Arguments, y[i].Arguments) {
			return false
		}
	}
	return true
}

// executableCalls returns the calls that would be executed.
func executableCalls(calls []chat.Call) []chat.Call {
	var all []chat.Call
	for _, c := range calls {
		if c.Executable {
			all = append(all, c)
		}
	}
	return all
}
