package agent

import (
	"encoding/json"
	"strings"
	"unicode"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/quote"
	"oneshot/pkg/tool"
)

// A toolSet holds the tools that calls can name.
type toolSet struct {
	registry *tool.Registry
	askUser  bool   // [tool.AskUser] is one of them
	ending   string // name of the tool that ends the work; "" if calls are native
}

// check looks up the definition of a call and checks its arguments. Those that had a secret are on record without it: their
// types can be others, and the call is denied in any case.
func (s toolSet) check(inv *Invocation, hadSecret bool) {
	def, ok := s.registry.Get(inv.call.Name)
	switch {
	case tool.LookupEndingTool(inv.call.Name) != nil: // the ending tool of another dialect, or calls are native
		inv.reject(chat.Failure(chat.UnknownTool, "Unknown tool: %s%s", inv.call.Name, didYouMean(s.ending)))
		return
	case !ok, def == tool.AskUser && !s.askUser:
		inv.reject(chat.Failure(chat.UnknownTool, "Unknown tool: %s%s", printableName(inv.call.Name), didYouMean(s.registry.Suggest(inv.call.Name))))
		return
	}
	inv.def = def
	bound, findings := def.BindPositional(inv.call)
	if faults := tool.CheckStrict(bound.Arguments); len(faults) > 0 {
		findings, inv.refusalRule = append(findings, faults...), "floor:decode"
	}
	if !diag.HasErrors(findings) {
		if !hadSecret {
			findings = append(findings, def.Check(bound.Arguments)...)
		}
		inv.call = bound
	}
	if diag.HasErrors(findings) {
		inv.reject(def.RejectionResult(findings, joinMessages(findings)))
		return
	}
	if def == tool.AskUser {
		setUserQuestion(inv, bound.Arguments)
		return
	}
	inv.boundArgs = def.WithDefaults(bound.Arguments)
	inv.call.Arguments = inv.boundArgs
}

// setUserQuestion turns a call of [tool.AskUser] into a question to the user.
func setUserQuestion(inv *Invocation, args json.RawMessage) {
	var q struct{ Question, Key string }
	if err := json.Unmarshal(args, &q); err != nil {
		panic(err) // the check accepted them
	}
	inv.call.Arguments = args
	inv.reject(chat.Result{Needs: []string{q.Key}, Question: q.Question})
}

// printableName makes a name from the model fit for a message: short and printable.
func printableName(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, quote.Shorten(name, 64))
}

func didYouMean(name string) string {
	if name == "" {
		return ""
	}
	return "; did you mean " + name + "?"
}
