package lint

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
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
	diag.Sort(findings)
	for _, f := range findings {
		if f.Call != nil {
			c := &r.Calls[*f.Call]
			f.Path = c.path(f.Path)
			if f.Severity == diag.Warning && c.Status == chat.StatusRepaired {
				c.Repairs = append(c.Repairs, f.Code)
			}
		}
		r.Findings = append(r.Findings, f)
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

// onlyObject returns the argument of a positional call that has one, an object.
func onlyObject(c chat.Call) (json.RawMessage, bool) {
	var list []json.RawMessage
	if !c.Positional || json.Unmarshal(c.Arguments, &list) != nil || len(list) != 1 {
		return nil, false
	}
	return list[0], bytes.HasPrefix(list[0], []byte("{"))
}

// argumentText returns what stands between the parentheses of a call, or all of
// one that is JSON.
func argumentText(call string) string {
	if strings.HasPrefix(call, "{") {
		return call
	}
	_, args, _ := strings.Cut(call, "(")
	return strings.TrimSuffix(args, ")")
}

func quoted(text string) json.RawMessage {
	raw, err := jsontext.AppendQuote(nil, strings.ToValidUTF8(text, "\ufffd"))
	if err != nil {
		return json.RawMessage(`""`) // valid UTF-8 can always be quoted
	}
	return raw
}

// bind holds each call against the definition of its tool.
func (r *Record) bind(calls []chat.Call, tools *tool.Registry) {
	for i, c := range calls {
		def, ok := tools.Get(c.Name)
		switch {
		case !ok:
			r.about(i, unknown(c.Name, tools))
		case c.Arguments != nil:
			r.check(i, c, def)
		}
	}
}

// check holds the arguments of call i against a definition.
func (r *Record) check(i int, c chat.Call, def *tool.Definition) {
	bound, findings := def.Bind(c)
	if !diag.HasErrors(findings) {
		r.Calls[i].bind(c, bound, def)
		findings = append(findings, def.Check(bound.Arguments)...)
	}
	r.about(i, findings...)
}

// bind takes over the arguments of a call that was bound to a definition.
func (c *Call) bind(written, bound chat.Call, def *tool.Definition) {
	named := written.Positional && !bytes.Equal(c.Arguments, bound.Arguments)
	c.Arguments = bound.Arguments
	if !named {
		return
	}
	c.heads = nil
	for _, p := range def.Signature.Params {
		c.heads = append(c.heads, string(jsontext.Pointer("").AppendToken(p.Name)))
	}
}

func unknown(name string, tools *tool.Registry) diag.Finding {
	f := diag.New(diag.UnknownTool, diag.Span{}, "there is no tool named %q", name)
	if near := tools.Suggest(name); near != "" {
		f.Hint = "did you mean " + near + "?"
	}
	return f
}

// about adds findings about call i, which stand where the call does.
func (r *Record) about(i int, findings ...diag.Finding) {
	for _, f := range findings {
		f.Call, f.Span = &i, r.Calls[i].Span
		r.Findings = append(r.Findings, f)
	}
}

// repeats reports calls that were made before: same tool, same arguments. The
// order of keys does not make a difference, the digits of numbers do.
func (r *Record) repeats() {
	seen := map[string]int{}
	for i, c := range r.Calls {
		if !c.Executable {
			continue
		}
		args, err := c.canonical()
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

// canonical returns the arguments with their keys in order and no blanks, the
// digits of numbers as they are.
func (c *Call) canonical() ([]byte, error) {
	args := jsontext.Value(bytes.Clone(c.Arguments))
	err := args.Format(jsontext.ReorderRawObjects(true), jsontext.CanonicalizeRawInts(false),
		jsontext.CanonicalizeRawFloats(false), jsontext.PreserveRawStrings(false), jsontext.AllowDuplicateNames(true))
	return args, err
}
