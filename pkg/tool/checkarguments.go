package tool

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/diag"
	"oneshot/pkg/quote"
	"oneshot/pkg/schema"
)

// Check validates arguments, a JSON object, against the parameters (M9, T13). Each finding names the argument and the
// expected value. It is an error, or a warning about the format of a published schema. Its path is a JSON pointer into
// the arguments; it has no span.
func (d *Definition) Check(args json.RawMessage) []diag.Finding {
	s, faults := d.argumentsSchema()
	if s == nil {
		return []diag.Finding{errorFinding(diag.ArgConstraint, "", "", "invalid schema of %s: %s", d.Name, faults[0].Message)}
	}
	violations, faults := s.Violations(args)
	var out []diag.Finding
	for _, f := range faults {
		out = append(out, errorFinding(diag.WrongType, f.Path, f.Hint, "the arguments are not JSON: %s", f.Message))
	}
	for _, v := range violations {
		out = append(out, d.violationFinding(v))
	}
	return out
}

// errorFinding returns an error, which keeps a call from being executed.
func errorFinding(code diag.Code, path, hint, format string, args ...any) diag.Finding {
	f := diag.New(code, diag.Span{}, format, args...)
	f.Severity, f.Path, f.Hint = diag.Error, path, hint
	return f
}

// violationFinding describes a violation to the model that wrote the call.
func (d *Definition) violationFinding(v schema.Violation) diag.Finding {
	key := v.Path + string(jsontext.Pointer("").AppendToken(v.Key))
	switch v.Keyword {
	case "required":
		return errorFinding(diag.MissingArg, key, "", "missing required argument %s%s", argumentPath(key), d.typeAndDescription(v))
	case "additionalProperties":
		return d.unknownArgumentFinding(v, key)
	case "type":
		return errorFinding(diag.WrongType, v.Path, v.Hint, "%s: %s", argumentPath(v.Path), v.Message)
	case "enum":
		return errorFinding(diag.NotInEnum, v.Path, v.Hint, "%s: %s", argumentPath(v.Path), v.Message)
	}
	f := errorFinding(diag.ArgConstraint, v.Path, v.Hint, "%s: %s", argumentPath(v.Path), v.Message)
	if v.Keyword == "format" && d.formatsAdvisory {
		f.Severity = diag.Warning
	}
	return f
}

// typeAndDescription returns " (type): description" of a missing parameter, "" for a missing member of a nested
// object.
func (d *Definition) typeAndDescription(v schema.Violation) string {
	p, ok := d.findParam(v.Key)
	if !ok || v.Path != "" {
		return ""
	}
	text := " (" + p.Type.String() + ")"
	if p.Description != "" {
		text += ": " + strings.TrimSuffix(p.Description, ".")
	}
	return text
}

// unknownArgumentFinding reports a key that the arguments, or an object in them, cannot have.
func (d *Definition) unknownArgumentFinding(v schema.Violation, key string) diag.Finding {
	if v.Path != "" {
		return errorFinding(diag.UnknownArg, key, v.Hint, "%s: %s", argumentPath(v.Path), v.Message)
	}
	names := make([]string, len(d.Signature.Params))
	for i, p := range d.Signature.Params {
		names[i] = p.Name
	}
	if len(names) == 0 {
		return errorFinding(diag.UnknownArg, key, "", "%s takes no arguments, got %s", d.Name, argumentPath(key))
	}
	return errorFinding(diag.UnknownArg, key, schema.DidYouMean(v.Key, names), "%s has no parameter %s, only %s", d.Name, argumentPath(key), strings.Join(names, ", "))
}

// argumentPath writes a JSON pointer as code would: items[2].price.
func argumentPath(path string) string {
	var b strings.Builder
	for key := range jsontext.Pointer(path).Tokens() {
		switch _, err := strconv.ParseUint(key, 10, 32); {
		case b.Len() > 0 && err == nil:
			b.WriteString("[" + key + "]")
		case !isIdentifier(key):
			b.WriteString("[" + quote.JSON(key) + "]")
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
