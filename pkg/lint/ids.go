package lint

import (
	"strings"

	"github.com/tidwall/gjson"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/wire"
)

// ids reports ids of native calls that are missing where there must be one, or were
// there before. A run gives such a call an id of its own.
func (r *reading) ids(body []byte, calls []chat.Call, from *wire.Sources, format wire.Format) {
	first, paths := map[string]int{}, wire.NewPaths(body)
	for i, c := range calls {
		before, repeated := first[c.ID]
		switch at := from.Calls[i]; {
		case c.ID == "" && format.CallIDs:
			if f := pieceFinding(paths, at.Name, diag.MissingID, "the call has no id, which its result needs; a run makes one"); !isLegacy(f.Layer) {
				r.about(i, f)
			}
		case c.ID == "":
		case repeated:
			f := pieceFinding(paths, at.ID, diag.DuplicateID, "call %d has the same id; a run makes another one", before)
			f.Severity = diag.Warning
			r.about(i, f)
		default:
			first[c.ID] = i
		}
	}
}

// mostMisnamed is how many calls without arguments are looked at: it takes as long as
// to read their message.
const mostMisnamed = 64

// misnamed reports native calls without arguments where something stands under another
// name that could be these: they are not read, and without them the call is another one.
func (r *reading) misnamed(body []byte, calls []chat.Call, from *wire.Sources) {
	paths, looked := wire.NewPaths(body), 0
	for i, c := range calls {
		at := from.Calls[i].Name
		if c.Text != "" || len(c.Arguments) > len("{}") || len(at) == 0 || looked == mostMisnamed {
			continue
		}
		looked++
		around := strings.TrimSuffix(paths.Of(at[0]), ".name")
		for _, name := range []string{"arguments", "parameters", "args", "input"} {
			if v := gjson.GetBytes(body[at[0].Object:], gjsonPath(around+"."+name)); v.IsObject() && len(v.Raw) > len("{}") {
				r.calls[i].Executable, r.calls[i].Status = false, chat.StatusInvalid
				r.about(i, pieceFinding(paths, at, diag.CallMember, "the call has no arguments, and something else in %q", name))
			}
		}
	}
}

// gjsonPath writes a path as gjson takes it.
func gjsonPath(path string) string { return strings.NewReplacer("[", ".", "]", "").Replace(path) }

// isLegacy reports whether a path leads into the older field of OpenAI for one call,
// which has no id.
func isLegacy(path string) bool { return strings.Contains(path, "function_call.") }

// about adds a finding about call i.
func (r *reading) about(i int, f diag.Finding) {
	f.Call = &i
	r.find(f)
}

// pieceFinding returns a finding about the first piece of a text in a body.
func pieceFinding(paths *wire.Paths, at []wire.Piece, code diag.Code, format string, args ...any) diag.Finding {
	f := diag.New(code, around(at), format, args...)
	if len(at) > 0 {
		f.Layer = paths.Of(at[0])
	}
	return f
}
