package agentfile

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/gjson"

	"oneshot/pkg/schema"
)

// A Variable is a variable of the prompt and the system prompt.
type Variable struct {
	Name        string
	Type        string // "string", "integer", "number" or "boolean"
	Description string
	Required    bool
	HasDefault  bool
	Default     string
	Enum        []string // the only values; nil for any
}

// newVariable reads a declaration.
func newVariable(name string, decl gjson.Result, found *findings) Variable {
	v := Variable{
		Name: name, Type: decl.Get("type").Str, Description: decl.Get("description").Str, Required: decl.Get("required").Bool(),
		HasDefault: decl.Get("default").Exists(), Default: scalarText(decl.Get("default")),
	}
	if v.Type == "" {
		v.Type = "string"
	}
	path := "/vars/" + name // a name needs no escapes
	if name == PromptVariable {
		found.add(path, "choose another name", "%s: ${prompt} is the prompt of the command line", path)
	}
	for i, value := range decl.Get("enum").Array() {
		if why := v.misfit(scalarText(value)); why != "" {
			found.add(path+"/enum/"+strconv.Itoa(i), "", "%s/enum: %s", path, why)
		}
	}
	for _, value := range decl.Get("enum").Array() {
		v.Enum = append(v.Enum, scalarText(value))
	}
	switch {
	case v.HasDefault && v.Required:
		found.add(path+"/default", "omit one of them", "%s: a required variable has no default", path)
	case v.HasDefault:
		if why := v.misfit(v.Default); why != "" {
			found.add(path+"/default", "", "%s/default: %s", path, why)
		}
	}
	return v
}

// scalarText returns a scalar as a command line would have it: all digits of a number.
func scalarText(value gjson.Result) string {
	if value.Type == gjson.Number {
		return value.Raw
	}
	return value.String()
}

// misfit returns the reason why a value does not fit the variable, or "".
func (v Variable) misfit(value string) string {
	isNumber := jsontext.Value(value).Kind() == '0' && jsontext.Value(value).IsValid() && strings.TrimSpace(value) == value
	switch {
	case v.Type == "integer" && (!isNumber || strings.ContainsAny(value, ".eE")):
		return "expected an integer, got " + strconv.Quote(value)
	case v.Type == "number" && !isNumber:
		return "expected a number, got " + strconv.Quote(value)
	case v.Type == "boolean" && value != "true" && value != "false":
		return "expected true or false, got " + strconv.Quote(value)
	case v.Enum != nil && !slices.Contains(v.Enum, value):
		return "expected " + schema.JoinOr(v.Enum) + ", got " + strconv.Quote(value)
	}
	return ""
}

// A ValueError reports a value that does not fit its variable.
type ValueError struct {
	Variable Variable
	Why      string
}

func (e *ValueError) Error() string { return "${" + e.Variable.Name + "}: " + e.Why }

// Check returns a *[ValueError] if a value does not fit the variable.
func (v Variable) Check(value string) error {
	if why := v.misfit(value); why != "" {
		return &ValueError{v, why}
	}
	return nil
}

// CutPlaceholder splits the text after "${" into a name and the text after "}", if it is a placeholder.
func CutPlaceholder(text string) (name, rest string, ok bool) {
	for i, r := range text {
		switch {
		case r == '_' || unicode.IsLetter(r):
		case i > 0 && (r == '-' || unicode.IsDigit(r)):
		case i > 0 && r == '}':
			return text[:i], text[i+1:], true
		default:
			return "", "", false
		}
	}
	return "", "", false
}

// Placeholders returns the names of the placeholders ${K} of a text, each once. $${K} is none.
func Placeholders(text string) (names []string) {
	for at := strings.Index(text, "${"); at >= 0; at = strings.Index(text, "${") {
		name, rest, ok := CutPlaceholder(text[at+len("${"):])
		switch {
		case at > 0 && text[at-1] == '$', !ok:
			rest = text[at+len("${"):]
		case !slices.Contains(names, name):
			names = append(names, name)
		}
		text = rest
	}
	return names
}
