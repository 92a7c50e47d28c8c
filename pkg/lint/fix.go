package lint

import (
	"bytes"
	"fmt"
	"slices"

	"oneshot/pkg/diag"
)

// maxPasses is how often a text is fixed and read again.
const maxPasses = 10

// A Fixed is a response after its safe fixes have been made.
type Fixed struct {
	Text   []byte
	Record Record // what is read in the text as it is now
	Made   int    // how many fixes were made
	Open   string // why there may be more to fix; "" if there is not
}

// Fix makes the safe fixes of all findings in a response, and those of what is found
// then, until there are none. What is executable stays the same: fixes that would
// change it are not made.
func Fix(file string, src []byte, o Options) Fixed {
	f := Fixed{Text: src, Record: Response(file, src, o)}
	for range maxPasses {
		text, made, err := diag.Apply(string(f.Text), diag.SafeFixes(f.Record.Findings))
		if err != nil {
			f.Open = err.Error()
			return f
		}
		if text == string(f.Text) {
			return f
		}
		next := Response(file, []byte(text), o)
		if !slices.EqualFunc(f.Record.executable(), next.executable(), sameCall) {
			f.Open = "the fixes that are left would change what is executed, and are not made"
			return f
		}
		f.Text, f.Record, f.Made = []byte(text), next, f.Made+made
	}
	if len(diag.SafeFixes(f.Record.Findings)) > 0 {
		f.Open = fmt.Sprintf("after %d passes there are still fixes to make", maxPasses)
	}
	return f
}

// executable returns the calls that would be run.
func (r Record) executable() []Call {
	return slices.DeleteFunc(slices.Clone(r.Calls), func(c Call) bool { return !c.Executable })
}

// sameCall reports whether two calls do the same.
func sameCall(a, b Call) bool {
	return a.Name == b.Name && a.ID == b.ID && a.Priority == b.Priority && bytes.Equal(a.Arguments, b.Arguments)
}
