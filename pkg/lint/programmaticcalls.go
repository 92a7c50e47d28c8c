package lint

import (
	"fmt"

	"oneshot/pkg/diag"
	"oneshot/pkg/dialect"
	"oneshot/pkg/provider/wire"
)

// suppressProgrammaticCalls suppresses native calls made by a program that the server ran and whose
// result is in the response: they are already done. It returns how many native calls are pending.
func (r *scanResult) suppressProgrammaticCalls(body []byte, from *wire.Sources) (open int) {
	made := map[string][]int{}
	for i, c := range from.Calls {
		r.origins[i].program = c.Program
		if from.ServerResults[c.Program] {
			dialect.Suppress(&r.calls[i])
			made[c.Program] = append(made[c.Program], i)
		} else {
			open++
		}
	}
	paths := wire.NewPathFinder(body)
	for id, calls := range made {
		what := "this call; its result is in the response, so the call is not executed"
		if more := len(calls) - 1; more > 0 {
			what = fmt.Sprintf("this call and %d more; its result is in the response, so they are not executed", more)
		}
		f := findingAtPiece(paths, from.Calls[calls[0]].Name, diag.QuotedCall, "the program %s made %s", id, what)
		f.Severity = diag.Info
		r.reportCall(calls[0], f)
	}
	return open
}
