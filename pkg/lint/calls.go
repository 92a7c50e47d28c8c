package lint

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/dialect"
	"oneshot/pkg/tool"
)

// A Call is one call of a response, as it would be run.
type Call struct {
	Name string `json:"name"`
	// Arguments is the object of arguments. Without a definition, positional
	// arguments stay an array. Where the arguments cannot be read it is their
	// text, a JSON string.
	Arguments    json.RawMessage `json:"arguments"`
	ID           string          `json:"id,omitempty"`
	Priority     float64         `json:"priority"`
	Status       chat.Status     `json:"status"`
	Executable   bool            `json:"executable"`    // nothing is wrong with it that would keep it from running
	ValueChanged bool            `json:"value_changed"` // a repair may have changed a value
	// Defaults is an object of what the tool is given besides: the defaults of
	// parameters that the arguments lack. Nil for nothing, and without a definition.
	Defaults     json.RawMessage `json:"defaults,omitempty"`
	Span         diag.Span       `json:"span"`
	Repairs      []diag.Code     `json:"repairs"`      // what was mended, by place
	Alternatives []Call          `json:"alternatives"` // other readings of an ambiguous call; empty where a dialect has none

	// heads are where the arguments by position are shown, as JSON pointers; nil
	// when that is where they were written.
	heads []string
}

// read takes in the calls that the scanner found, before they are checked.
func (r *Record) read(calls []chat.Call, places *diag.Lines) {
	for _, c := range calls {
		shown := shownCall(c, places)
		for _, other := range c.Alternatives {
			shown.Alternatives = append(shown.Alternatives, shownCall(other, places))
		}
		if object, ok := onlyObject(c); ok {
			shown.Arguments, shown.heads = object, []string{""}
		}
		if c.Arguments == nil {
			shown.Arguments = quoted(argumentText(c.Text))
		}
		r.Calls = append(r.Calls, shown)
	}
}

// shownCall returns a call as it is shown.
func shownCall(c chat.Call, places *diag.Lines) Call {
	return Call{
		Name: c.Name, Arguments: c.Arguments, ID: c.ID, Priority: c.Priority,
		Status: c.Status, Executable: c.Executable, ValueChanged: c.ValueChanged,
		Span: places.Locate(diag.Bytes(c.Start, c.End)), Repairs: []diag.Code{}, Alternatives: []Call{},
	}
}

// adopt takes in what the scanner found wrong, after calls have their last form.
func (r *Record) adopt(findings []diag.Finding) {
	for _, f := range findings {
		if f.Call != nil {
			f.Path = r.Calls[*f.Call].path(f.Path)
		}
		r.Findings = append(r.Findings, f)
	}
}

// unmended are the codes of warnings that repair nothing: who read the call, and an
// argument in another format.
var unmended = []diag.Code{diag.CallInText, diag.ArgConstraint}

// repairs notes in each call what was mended in it: the warnings so far.
func (r *Record) repairs() {
	diag.Sort(r.Findings)
	for _, f := range r.Findings {
		if f.Call != nil && f.Severity == diag.Warning && !slices.Contains(unmended, f.Code) && r.Calls[*f.Call].Status == chat.StatusRepaired {
			c := &r.Calls[*f.Call]
			c.Repairs = append(c.Repairs, f.Code)
		}
	}
}

// path turns a pointer into the arguments of a call as they were written into
// one into its arguments as they are shown.
func (c *Call) path(written string) string {
	first, rest, more := strings.Cut(strings.TrimPrefix(written, "/"), "/")
	index, err := strconv.Atoi(first)
	if err != nil || index >= len(c.heads) {
		return written
	}
	if more {
		return c.heads[index] + "/" + rest
	}
	return c.heads[index]
}

// written turns a pointer into the arguments of a call as they are shown into one
// into its arguments as they were written.
func (c *Call) written(shown string) string {
	for index, head := range c.heads {
		if rest, ok := strings.CutPrefix(shown, head); ok && (rest == "" || rest[0] == '/') {
			return "/" + strconv.Itoa(index) + rest
		}
	}
	return shown
}

// onlyObject returns the argument of a positional call that has one, an object.
func onlyObject(c chat.Call) (json.RawMessage, bool) {
	if !c.Positional {
		return nil, false
	}
	var list []json.RawMessage
	if json.Unmarshal(c.Arguments, &list) != nil || len(list) != 1 {
		return nil, false
	}
	return list[0], bytes.HasPrefix(list[0], []byte("{"))
}

// argumentText returns what stands between the parentheses of a call, or the object of
// one that has none.
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

// quoted returns a text as a JSON string. What is not UTF-8 is replaced.
func quoted(text string) json.RawMessage {
	raw, err := jsontext.AppendQuote(nil, strings.ToValidUTF8(text, "\ufffd"))
	if err != nil {
		return json.RawMessage(`""`) // valid UTF-8 can always be quoted
	}
	return raw
}

func unknown(name string, tools *tool.Registry) diag.Finding {
	f := diag.New(diag.UnknownTool, diag.Span{}, "there is no tool named %q", name)
	if near := tools.Suggest(name); near != "" {
		f.Hint = "did you mean " + near + "?"
	}
	return f
}

// about adds findings about call i, which stand where the call does unless they have
// a place.
func (r *Record) about(i int, findings ...diag.Finding) {
	for _, f := range findings {
		f.Call = &i
		if f.Span == (diag.Span{}) {
			f.Span = r.Calls[i].Span
		}
		r.Findings = append(r.Findings, f)
	}
}

// repeats reports calls that were made before: same tool, same arguments. The
// order of keys does not make a difference, the digits of numbers do. What a program
// calls in a loop is no repetition.
func (r *Record) repeats(origins []origin) {
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
		args, err := canonical(c.Arguments)
		if err != nil {
			continue // an executable call has arguments that are JSON
		}
		key := c.Name + "\x00" + string(args)
		if before, ok := seen[key]; ok {
			r.about(i, diag.New(diag.DuplicateCall, diag.Span{}, "call %d on line %d is the same", before, r.Calls[before].Span.Line))
			continue
		}
		seen[key] = i
	}
}

// echoes suppresses the calls that stand in what the model was told.
func (r *Record) echoes(origins []origin, told *dialect.Heard) {
	for i := range r.Calls {
		c := &r.Calls[i]
		if !c.Executable || tool.Ending(c.Name) != nil || !origins[i].heard(c.Name, told) {
			continue
		}
		c.Status, c.Executable = chat.StatusSuppressed, false
		r.about(i, diag.New(diag.EchoedCall, diag.Span{}, "this call stands in what the model was told, and is not run"))
	}
}

// heard reports whether a call of a tool stands in what the model was told.
func (o origin) heard(name string, told *dialect.Heard) bool {
	if o.native {
		return told.Has(name, o.args, "")
	}
	return told.Has(name, o.args, o.text)
}

// canonical returns a JSON value without blanks and with sorted keys, so that equal
// values are equal texts. Numbers stay as they are written.
func canonical(raw []byte) ([]byte, error) {
	v := jsontext.Value(bytes.Clone(raw))
	err := v.Format(jsontext.ReorderRawObjects(true), jsontext.CanonicalizeRawInts(false),
		jsontext.CanonicalizeRawFloats(false), jsontext.PreserveRawStrings(false), jsontext.AllowDuplicateNames(true))
	return v, err
}
