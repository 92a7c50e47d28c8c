package main

import (
	"oneshot/pkg/chat"
)

// A detection is what reading without a named dialect came to.
type detection struct {
	found     string // the dialect that was detected
	named     bool   // it is that of the row
	sameCalls bool   // the calls are those of a reading in the dialect of the row
	calls     bool   // the reference found calls
}

// detect reads a text whose dialect is not named.
func detect(text string, s setting, named reading, w want) *detection {
	if w.anyCalls {
		return nil
	}
	name := s.dialect
	s.dialect = ""
	told := readText(text, s)
	return &detection{
		found:     told.dialect,
		named:     sameDialect(told.dialect, name),
		sameCalls: sameReading(named.calls, told.calls),
		calls:     len(w.calls) > 0,
	}
}

// sameReading reports whether the executable calls of two readings are the same.
func sameReading(a, b []chat.Call) bool {
	x, y := executable(a), executable(b)
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if x[i].Name != y[i].Name || !sameJSON(x[i].Arguments, y[i].Arguments) {
			return false
		}
	}
	return true
}

// executable returns the calls that would be executed.
func executable(calls []chat.Call) []chat.Call {
	var all []chat.Call
	for _, c := range calls {
		if c.Executable {
			all = append(all, c)
		}
	}
	return all
}
