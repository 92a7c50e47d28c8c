package lint

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/quote"
	"oneshot/pkg/tool"
)

// A Call is one call of a response, as it would be executed.
type Call struct {
	Name string `json:"name"`
	// Arguments is the object of arguments. Without a definition, positional arguments stay an array.
	// If the arguments cannot be parsed it is their text, as a JSON string.
	Arguments    json.RawMessage `json:"arguments"`
	ID           string          `json:"id,omitempty"`
	Priority     float64         `json:"priority"`
	Status       chat.Status     `json:"status"`
	Executable   bool            `json:"executable"`    // no error finding blocks it
	ValueChanged bool            `json:"value_changed"` // a repair may have changed a value
	// Defaults is an object with the defaults of parameters that the arguments omit. Nil if there are
	// none, and without a definition.
	Defaults     json.RawMessage `json:"defaults,omitempty"`
	Span         diag.Span       `json:"span"`
	Repairs      []diag.Code     `json:"repairs"`      // the repairs, by position
	Alternatives []Call          `json:"alternatives"` // other readings of an ambiguous call; empty for dialects without any

	// positionalPaths are the JSON pointers at which positional arguments are shown; nil if they are
	// shown where they were written.
	positionalPaths []string
}

// addCalls adds the scanner's calls, before they are checked.
func (r *ParseResult) addCalls(calls []chat.Call, places *diag.Lines) {
	for _, c := range calls {
		shown := newCall(c, places)
		for _, other := range c.Alternatives {
			shown.Alternatives = append(shown.Alternatives, newCall(other, places))
		}
		if object, ok := onlyPositionalObject(c); ok {
			shown.Arguments, shown.positionalPaths = object, []string{""}
		}
		if c.Arguments == nil {
			shown.Arguments = json.RawMessage(quote.JSON(argumentText(c.Text)))
		}
		r.Calls = append(r.Calls, shown)
	}
}

// newCall converts a scanned call.
func newCall(c chat.Call, places *diag.Lines) Call {
	return Call{
		Name: c.Name, Arguments: c.Arguments, ID: c.ID, Priority: c.Priority,
		Status: c.Status, Executable: c.Executable, ValueChanged: c.ValueChanged,
		Span: places.Locate(diag.Bytes(c.Start, c.End)), Repairs: []diag.Code{}, Alternatives: []Call{},
	}
}

// addFindings adds the scanner's findings, after calls have their final arguments.
func (r *ParseResult) addFindings(findings []diag.Finding) {
	for _, f := range findings {
		if f.Call != nil {
			f.Path = r.Calls[*f.Call].shownPath(f.Path)
		}
		r.Findings = append(r.Findings, f)
	}
}

// notRepairs are the warnings that report no repair: where the call was read from, and an argument
// with another format.
var notRepairs = []diag.Code{diag.CallInText, diag.ArgConstraint}

// setRepairCodes lists in each repaired call the codes of the warnings so far.
func (r *ParseResult) setRepairCodes() {
	diag.Sort(r.Findings)
	for _, f := range r.Findings {
		if f.Call != nil && f.Severity == diag.Warning && !slices.Contains(notRepairs, f.Code) && r.Calls[*f.Call].Status == chat.StatusRepaired {
			c := &r.Calls[*f.Call]
			c.Repairs = append(c.Repairs, f.Code)
		}
	}
}

// shownPath converts a pointer into the arguments as written to one into the arguments as shown.
func (c *Call) shownPath(written string) string {
	first, rest, more := strings.Cut(strings.TrimPrefix(written, "/"), "/")
	index, err := strconv.Atoi(first)
	if err != nil || index >= len(c.positionalPaths) {
		return written
	}
	if more {
		return c.positionalPaths[index] + "/" + rest
	}
	return c.positionalPaths[index]
}

// writtenPath converts a pointer into the arguments as shown to one into the arguments as written.
func (c *Call) writtenPath(shown string) string {
	for index, head := range c.positionalPaths {
		if rest, ok := strings.CutPrefix(shown, head); ok && (rest == "" || rest[0] == '/') {
			return "/" + strconv.Itoa(index) + rest
		}
	}
	return shown
}

// onlyPositionalObject returns the only argument of a positional call if it is an object.
func onlyPositionalObject(c chat.Call) (json.RawMessage, bool) {
	if !c.Positional {
		return nil, false
	}
	var list []json.RawMessage
	if json.Unmarshal(c.Arguments, &list) != nil || len(list) != 1 {
		return nil, false
	}
	return list[0], bytes.HasPrefix(list[0], []byte("{"))
}

// argumentText returns the text between the parentheses of a call, or from the first brace of a
// call without any.
func argumentText(call string) string {
	i := strings.IndexAny(call, "({")
	switch {
	case i < 0:
		return ""
	case call[i] == '{':
		return call[i:]
	}
	return strings.TrimSuffix(call[i+1:], ")")
}

func unknownToolFinding(name string, tools *tool.Registry) diag.Finding {
	f := diag.New(diag.UnknownTool, diag.Span{}, "there is no tool named %q", name)
	if near := tools.Suggest(name); near != "" {
		f.Hint = "did you mean " + near + "?"
	}
	return f
}

// reportCall adds findings about call i. A finding without a span gets the call's.
func (r *ParseResult) reportCall(i int, findings ...diag.Finding) {
	for _, f := range findings {
		f.Call = &i
		if f.Span == (diag.Span{}) {
			f.Span = r.Calls[i].Span
		}
		r.Findings = append(r.Findings, f)
	}
}
