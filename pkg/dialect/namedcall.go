package dialect

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/quote"
)

// A namedCall is a call as written: a name with arguments after it.
type namedCall struct {
	onlyTool bool   // it has a number instead of a name, and there is one tool
	name     string // as written
	place    diag.Span
	toolName string // without the parts that belong to the syntax
	quoted   bool   // the name is a JSON string
	id       string
	start    int
	text     string
}

// newTextArgumentReader returns a reader for a call with a text as its only argument.
func newTextArgumentReader(c namedCall, tools Toolset, text string, findings []diag.Finding) *callReader {
	r := newNamedReader(c, tools, findings)
	r.call.Positional = true
	if slices.ContainsFunc(findings, func(f diag.Finding) bool { return f.Code == diag.TruncatedCall }) {
		r.call.Status = chat.StatusTruncated
	}
	if utf8.ValidString(text) {
		r.call.Arguments = json.RawMessage("[" + quote.JSON(text) + "]")
	} else {
		r.addError(diag.InvalidUTF8, diag.Bytes(r.call.Start, r.call.End), "the text is not valid UTF-8")
	}
	return r
}

// markAmbiguous makes the call ambiguous, with the other readings as alternatives.
func (r *callReader) markAmbiguous(others ...chat.Call) {
	if r.call.Status != chat.StatusTruncated {
		r.call.Status = chat.StatusAmbiguous
	}
	r.setStatus()
	r.call.Alternatives = append([]chat.Call{r.call}, others...)
	for i := range r.call.Alternatives {
		r.call.Alternatives[i].Status = chat.StatusAmbiguous
	}
}

// emptyObject is a callObject without members.
var emptyObject = callObject{memberNames: &nameArguments}

// newNamedReader returns a reader that has read the name of a call.
func newNamedReader(c namedCall, tools Toolset, findings []diag.Finding) *callReader {
	r := &callReader{tools: tools, callObject: &emptyObject, findings: findings, nameSpan: c.place}
	r.argsMember = ofArguments
	r.call = chat.Call{ID: c.id, Status: chat.StatusOK, Start: c.start, End: c.start + len(c.text), Text: c.text}
	name := c.toolName
	if i := controlTokenOffset(name); i >= 0 {
		r.addFinding(diag.New(diag.MarkupInName, c.place, "the tool name contains %q, which is not part of it", excerpt(name[i:])))
		name = strings.TrimSpace(name[:i])
	}
	name, noise := cleanName(name, tools)
	if c.name == "" {
		r.addError(diag.CallMember, c.place, "the call has no name")
		return r
	}
	if !isToolName(name) {
		r.addError(diag.CallMember, c.place, "%q is not a tool name", excerpt(c.name))
		return r
	}
	switch {
	case c.onlyTool:
		r.addFinding(diag.New(diag.NameNoise, c.place, "the call has a number instead of a name: it is read as a call of %s, the only tool", excerpt(name)))
	case noise != "":
		r.addFinding(diag.New(diag.NameNoise, c.place, "%s", noise))
	}
	if repaired := r.findings[len(findings):]; len(repaired) > 0 && c.name == c.toolName {
		written := name
		if c.quoted {
			written = quote.JSON(name)
		}
		kind := diag.Safe
		if repaired[0].Code == diag.MarkupInName || !c.quoted && !isBareName(name) || !isCleanName(name, tools) { // the marker may have ended something
			kind = diag.Unsafe
		}
		repaired[0].Fixes = newFix(kind, "remove it", diag.Edit{Start: c.place.Start, End: c.place.End, New: written})
	}
	r.call.Name = name
	return r
}

// setArguments takes the value in the place of the arguments. A list of one object, or a string that contains an
// object, counts as that object.
func (r *callReader) setArguments(value json.RawMessage, place diag.Span) {
	switch value[0] {
	case '{':
		r.call.Arguments = value
	case '"':
		r.args = value
		r.readEncodedArguments(place)
	case 'n':
		r.useEmptyArguments(place)
	case '[':
		r.setFromOnlyItem(value, place)
	default:
		r.addError(diag.CallMember, place, "arguments: expected an object, got %s", describeKind(value[0]))
	}
}

// setFromOnlyItem takes the only object of a list.
func (r *callReader) setFromOnlyItem(value json.RawMessage, place diag.Span) {
	var list []json.RawMessage
	if json.Unmarshal(value, &list) != nil || len(list) != 1 || list[0][0] != '{' {
		r.addError(diag.CallMember, place, "arguments: expected an object, got an array")
		return
	}
	f := diag.New(diag.UnbalancedBracket, place, "the arguments are wrapped in an array, which is removed")
	f.Severity = diag.Warning
	r.addFinding(f)
	r.call.Arguments = list[0]
}
