package tool

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/diag"
	"oneshot/pkg/schema"
)

// Check holds arguments, a JSON object, against the parameters (M9, T13). Each
// finding is an error that names the argument and what it has to be, for a model
// to mend, or a warning about the format of a published schema; its path leads into the arguments, and it has no place in a text.
func (d *Definition) Check(args json.RawMessage) []diag.Finding {
	s, faults := d.arguments()
	if s == nil {
		return []diag.Finding{refuse(diag.ArgConstraint, "", "", "the schema of %s is wrong: %s", d.Name, faults[0].Message)}
	}
	violations, faults := s.Violations(args)
	var out []diag.Finding
	for _, f := range faults {
		out = append(out, refuse(diag.WrongType, f.Path, f.Hint, "the arguments are no JSON: %s", f.Message))
	}
	for _, v := range violations {
		out = append(out, d.misfit(v))
	}
	return out
}

// refuse returns a finding that keeps a call from being executed.
func refuse(code diag.Code, path, hint, format string, args ...any) diag.Finding {
	f := diag.New(code, diag.Span{}, format, args...)
	f.Severity, f.Path, f.Hint = diag.Error, path, hint
	return f
}

// misfit words a violation for the model that wrote the call.
func (d *Definition) misfit(v schema.Violation) diag.Finding {
	key := v.Path + string(jsontext.Pointer("").AppendToken(v.Key))
	switch v.Keyword {
	case "required":
		return refuse(diag.MissingArg, key, "", "%s is missing%s", argument(key), d.expected(v))
	case "additionalProperties":
		return d.unknown(v, key)
	case "type":
		return refuse(diag.WrongType, v.Path, v.Hint, "%s: %s", argument(v.Path), v.Message)
	case "enum":
		return refuse(diag.NotInEnum, v.Path, v.Hint, "%s: %s", argument(v.Path), v.Message)
	}
	f := refuse(diag.ArgConstraint, v.Path, v.Hint, "%s: %s", argument(v.Path), v.Message)
	if v.Keyword == "format" && d.published {
		f.Severity = diag.Warning
	}
	return f
}

// expected says what a missing parameter has to be.
func (d *Definition) expected(v schema.Violation) string {
	p, ok := d.param(v.Key)
	if !ok || v.Path != "" {
		return ""
	}
	text := ", it must be given: " + p.Type.String()
	if p.Description != "" {
		text += ", " + p.Description
	}
	return text
}

// unknown words a key that the arguments, or an object in them, may not have.
func (d *Definition) unknown(v schema.Violation, key string) diag.Finding {
	if v.Path != "" {
		return refuse(diag.UnknownArg, key, v.Hint, "%s: %s", argument(v.Path), v.Message)
	}
	names := make([]string, len(d.Signature.Params))
	for i, p := range d.Signature.Params {
		names[i] = p.Name
	}
	if len(names) == 0 {
		return refuse(diag.UnknownArg, key, "", "%s takes no arguments, but %s is given", d.Name, argument(key))
	}
	return refuse(diag.UnknownArg, key, schema.Meant(v.Key, names), "%s has no parameter %s, only %s", d.Name, argument(key), strings.Join(names, ", "))
}

// argument names the value at a JSON pointer as code would: items[2].price.
func argument(path string) string {
	var b strings.Builder
	for key := range jsontext.Pointer(path).Tokens() {
		switch _, err := strconv.ParseUint(key, 10, 32); {
		case b.Len() > 0 && err == nil:
			b.WriteString("[" + key + "]")
		case !isIdentifier(key):
			b.WriteString("[" + quote(key) + "]")
		default:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(key)
		}
	}
	if b.Len() == 0 {
		return "the arguments"
	}
	return b.String()
}
