package dialect

import (
	"slices"
	"strings"
	"unicode"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/jsonrepair"
	"oneshot/pkg/literal"
)

// maxRepairBytes bounds the calls that get a suggested repair, in bytes.
const maxRepairBytes = 1 << 16

// suggestRepair adds the likely meaning of an unreadable call: as an alternative, which is never executed, and as an
// unsafe fix of its first fault.
func (r *callReader) suggestRepair() {
	if len(r.text) > maxRepairBytes {
		return
	}
	m := jsonrepair.JSON(r.text)
	call, ok := r.repairedCall(m)
	if !ok || hasDeletedText(r.text, m.Edits) {
		return
	}
	if r.call.Name == "" {
		r.call.Name = call.Name
	}
	r.call.Alternatives = []chat.Call{call}
	edits := shiftEdits(m.Edits, r.begin)
	for i := range r.findings {
		if f := &r.findings[i]; f.Severity == diag.Error && len(f.Fixes) == 0 && len(edits) > 0 {
			f.Fixes = newFix(diag.Unsafe, "write JSON", edits...)
			return
		}
	}
}

// hasDeletedText reports whether an edit deletes letters or digits outside comments. A suggestion must keep the
// model's text.
func hasDeletedText(text string, edits []diag.Edit) bool {
	return slices.ContainsFunc(edits, func(e diag.Edit) bool {
		old := text[e.Start:e.End]
		comment := strings.HasPrefix(old, "/") || strings.HasPrefix(old, "#")
		return e.New == "" && !comment && strings.ContainsFunc(old, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) })
	})
}

// repairedCall returns the call in a repaired text, or false.
func (r *callReader) repairedCall(m jsonrepair.Result) (chat.Call, bool) {
	if len(m.Value) == 0 || m.Value[0] != '{' {
		return chat.Call{}, false
	}
	lit := literal.NewJSON(literal.Options{})
	lit.ExpectObject(callMembers)
	if _, state := lit.Write(m.Value); state != literal.Done {
		return chat.Call{}, false
	}
	var w callObject
	w.load(r.memberNames, lit)
	s := w.matchMembers()
	name, _ := cleanName(s.name, r.tools)
	if !isToolName(name) || s.severalFit || s.hasArgs && s.args[0] != '{' {
		return chat.Call{}, false
	}
	c := chat.Call{
		Name: name, Arguments: s.args, Status: m.Status, ValueChanged: m.Changed,
		Start: r.begin, End: r.begin + len(r.text), Text: r.text,
	}
	if !s.hasArgs {
		c.Arguments = []byte("{}")
	}
	bare := r.call.Status == chat.StatusTruncated && !r.hasArgs && string(c.Arguments) == "{}" // the arguments were still to come
	return c, !bare
}

// shiftEdits returns edits moved by an offset.
func shiftEdits(edits []diag.Edit, by int) []diag.Edit {
	all := slices.Clone(edits)
	for i := range all {
		all[i].Start += by
		all[i].End += by
	}
	return all
}
