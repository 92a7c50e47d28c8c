package policy

import (
	"encoding/json"

	"oneshot/pkg/dialect/echo"
	"oneshot/pkg/tool"
)

// EchoCandidate returns a call in the form in which untrusted data is searched for it: written holds the arguments of
// the model, bound the same by name and with defaults; text is the call as written, "" for a native one.
func EchoCandidate(def *tool.Definition, written, bound json.RawMessage, text string) echo.Candidate {
	c := echo.Candidate{Name: def.Name, RawArgs: written, Args: bound, Text: text, ReadOnly: def.Effect == tool.Read, Required: []string{}}
	for _, p := range def.Signature.Params {
		if !p.Optional && p.Default == nil {
			c.Required = append(c.Required, p.Name)
		}
	}
	return c
}
