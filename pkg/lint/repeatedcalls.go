package lint

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/diag"
)

// reportDuplicates reports calls with the same tool and arguments as an earlier one. The order of
// keys does not matter, the digits of numbers do. Calls that a program makes in a loop are not
// duplicates.
func (r *ParseResult) reportDuplicates(origins []origin) {
	if len(r.Calls) < 2 {
		return
	}
	seen, names := map[string]int{}, map[string]int{}
	for _, c := range r.Calls {
		if c.Executable {
			names[c.Name]++
		}
	}
	for i, c := range r.Calls {
		if !c.Executable || names[c.Name] == 1 || origins[i].program != "" {
			continue
		}
		args, err := canonicalJSON(c.Arguments)
		if err != nil {
			continue // an executable call has arguments that are JSON
		}
		key := c.Name + "\x00" + string(args)
		if earlier, ok := seen[key]; ok {
			r.reportCall(i, diag.New(diag.DuplicateCall, diag.Span{}, "repeats call %d on line %d", earlier, r.Calls[earlier].Span.Line))
			continue
		}
		seen[key] = i
	}
}

// canonicalJSON returns a JSON value without white space and with sorted keys, so that equal values
// are equal texts. Numbers keep their spelling.
func canonicalJSON(raw []byte) ([]byte, error) {
	v := jsontext.Value(bytes.Clone(raw))
	err := v.Format(jsontext.ReorderRawObjects(true), jsontext.CanonicalizeRawInts(false),
		jsontext.CanonicalizeRawFloats(false), jsontext.PreserveRawStrings(false), jsontext.AllowDuplicateNames(true))
	return v, err
}
