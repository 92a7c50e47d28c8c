// Package agentfile compiles agent files, which keep a job for repeated use, with the flags of oneshot run as keys.
//
// A key that is a flag yields the values of this flag, as a command line would have them. The package does not know the flags:
// the published schema agent_config.v2 defines the keys.
package agentfile

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tidwall/gjson"

	"oneshot/pkg/diag"
	"oneshot/pkg/schema"
)

// A File is a compiled agent file.
type File struct {
	Name        string // "" if the file has none
	Description string
	Prompt      string
	Variables   []Variable          // in the order of the file
	Flags       map[string][]string // the values of each flag that has a key, by the flag's name
}

// PromptVariable is the placeholder for the prompt of the command line.
const PromptVariable = "prompt"

// ownKeys are the keys that are no flags.
var ownKeys = []string{"version", "name", "description", "prompt", "vars"}

// Compile compiles an agent file that fits its schema. The findings have the JSON pointers of values, and no spans. The file
// is nil if any of them is an error.
func Compile(text json.RawMessage) (*File, []diag.Finding) {
	root := gjson.ParseBytes(text)
	f := &File{
		Name: root.Get("name").Str, Description: root.Get("description").Str, Prompt: root.Get("prompt").Str,
		Flags: Flags(text),
	}
	var findings findings
	root.Get("vars").ForEach(func(name, value gjson.Result) bool {
		f.Variables = append(f.Variables, newVariable(name.Str, value, &findings))
		return true
	})
	f.checkBeyondSchema(root, &findings)
	if diag.HasErrors(findings) {
		return nil, findings
	}
	return f, findings
}

// Flags returns the values of the flags that the keys of an object set, by the name of the flag. Keys of agent files that are
// no flags are left out.
func Flags(object json.RawMessage) map[string][]string {
	flags := map[string][]string{}
	gjson.ParseBytes(object).ForEach(func(key, value gjson.Result) bool {
		if !slices.Contains(ownKeys, key.Str) {
			flags[strings.ReplaceAll(key.Str, "_", "-")] = flagValues(key.Str, value)
		}
		return true
	})
	return flags
}

// findings are the findings of a file.
type findings []diag.Finding

// add adds a finding about the value at a JSON pointer.
func (f *findings) add(path, hint, format string, args ...any) {
	finding := diag.New(diag.AgentValue, diag.Span{}, format, args...)
	finding.Path, finding.Hint = path, hint
	*f = append(*f, finding)
}

// flagValues returns a value as a command line would have it: one text, or one for each item of a list or member of a
// mapping.
func flagValues(key string, value gjson.Result) (values []string) {
	switch {
	case key == "schema" && value.IsObject(): // the schema itself
		return []string{value.Raw}
	case value.IsArray():
		for _, item := range value.Array() {
			values = append(values, item.String())
		}
	case value.IsObject():
		value.ForEach(func(name, member gjson.Result) bool {
			text := member.String()
			if key == "param" { // whose values are JSON: the string "1" is not the number 1
				text = paramJSON(member)
			}
			values = append(values, name.Str+"="+text)
			return true
		})
	case value.Type == gjson.Number:
		return []string{value.Raw} // all digits
	default:
		return []string{value.String()}
	}
	return values
}

// paramJSON returns a value as JSON. A string is encoded anew, so that its escapes in the file do not matter.
func paramJSON(value gjson.Result) string {
	if value.Type != gjson.String {
		return value.Raw
	}
	quoted, err := jsontext.AppendQuote(nil, value.Str)
	if err != nil { // invalid UTF-8, which a file that fits its schema does not have
		return value.Raw
	}
	return string(quoted)
}

// checkBeyondSchema makes the checks that a schema cannot express.
func (f *File) checkBeyondSchema(root gjson.Result, found *findings) {
	if f.Prompt != "" && f.Flags["prompt-file"] != nil {
		found.add("/prompt_file", "omit one of them", "the file has a prompt as well")
	}
	for _, key := range []string{"model", "responder"} {
		for i, name := range f.Flags[key] {
			if path := itemPath(root.Get(key), key, i); strings.HasPrefix(name, "replay:") {
				found.add(path, "use --model "+name+" on the command line", "/%s: a replay belongs to one run, not to an agent", key)
			}
		}
	}
	if root.Get("vars").Exists() {
		f.checkPlaceholders(found, "/prompt", f.Prompt, PromptVariable)
		for _, text := range f.Flags["answer-description"] {
			f.checkPlaceholders(found, "/answer_description", text)
		}
	}
}

// itemPath returns the JSON pointer of an item of a list, or of a value that is no list.
func itemPath(value gjson.Result, key string, index int) string {
	if value.IsArray() {
		return "/" + key + "/" + strconv.Itoa(index)
	}
	return "/" + key
}

// checkPlaceholders reports placeholders of a text that are neither declared variables nor known otherwise.
func (f *File) checkPlaceholders(found *findings, path, text string, known ...string) {
	for _, v := range f.Variables {
		known = append(known, v.Name)
	}
	for _, name := range Placeholders(text) {
		if !slices.Contains(known, name) {
			hint := schema.DidYouMean(name, known)
			if hint == "" {
				hint = "declare it in vars, or write $${" + name + "} for a literal ${" + name + "}"
			}
			found.add(path, hint, "%s: the variable ${%s} is not declared", path, name)
		}
	}
}
