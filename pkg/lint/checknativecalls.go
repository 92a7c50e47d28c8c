package lint

import (
	"strings"

	"github.com/tidwall/gjson"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/provider/wire"
)

// checkIDs reports native calls without a required id, or with a repeated one. A run assigns a new
// id to such a call.
func (r *scanResult) checkIDs(body []byte, calls []chat.Call, from *wire.Sources, p *wire.Protocol) {
	first, paths := map[string]int{}, wire.NewPathFinder(body)
	for i, c := range calls {
		earlier, repeated := first[c.ID]
		switch at := from.Calls[i]; {
		case c.ID == "" && p.HasCallIDs:
			if f := findingAtPiece(paths, at.Name, diag.MissingID, "the call has no id, which its result requires; a run assigns one"); !isFunctionCallPath(f.Layer) {
				r.reportCall(i, f)
			}
		case c.ID == "":
		case repeated:
			f := findingAtPiece(paths, at.ID, diag.DuplicateID, "call %d has the same id; a run assigns a new one", earlier)
			f.Severity = diag.Warning
			r.reportCall(i, f)
		default:
			first[c.ID] = i
		}
	}
}

// maxMisnamedChecks bounds how many calls without arguments are checked: each check scans its
// message.
const maxMisnamedChecks = 64

// reportMisplacedArguments reports native calls without arguments if another member could hold them.
// Without its arguments the call would be a different one, so it is not executed.
func (r *scanResult) reportMisplacedArguments(body []byte, calls []chat.Call, from *wire.Sources) {
	paths, checks := wire.NewPathFinder(body), 0
	for i, c := range calls {
		at := from.Calls[i].Name
		if c.Text != "" || len(c.Arguments) > len("{}") || len(at) == 0 || checks == maxMisnamedChecks {
			continue
		}
		checks++
		parent := strings.TrimSuffix(paths.Path(at[0]), ".name")
		for _, name := range []string{"arguments", "parameters", "args", "input"} {
			if v := gjson.GetBytes(body[at[0].ObjectStart:], toGJSONPath(parent+"."+name)); v.IsObject() && len(v.Raw) > len("{}") {
				r.calls[i].Executable, r.calls[i].Status = false, chat.StatusInvalid
				r.reportCall(i, findingAtPiece(paths, at, diag.CallMember, "the call has no arguments, but a member %q", name))
			}
		}
	}
}

// toGJSONPath converts a path to gjson syntax.
func toGJSONPath(path string) string { return strings.NewReplacer("[", ".", "]", "").Replace(path) }

// isFunctionCallPath reports whether a path leads into OpenAI's legacy function_call, which has no
// id.
func isFunctionCallPath(path string) bool { return strings.Contains(path, "function_call.") }

// reportCall adds a finding about call i.
func (r *scanResult) reportCall(i int, f diag.Finding) {
	f.Call = &i
	r.report(f)
}

// findingAtPiece returns a finding at the first piece of a text in a body.
func findingAtPiece(paths *wire.PathFinder, at []wire.Segment, code diag.Code, format string, args ...any) diag.Finding {
	f := diag.New(code, pieceBounds(at), format, args...)
	if len(at) > 0 {
		f.Layer = paths.Path(at[0])
	}
	return f
}
