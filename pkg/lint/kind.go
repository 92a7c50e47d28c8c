package lint

import (
	"bytes"
	"slices"

	"github.com/tidwall/gjson"

	"oneshot/pkg/runfile"
)

// A Kind is a kind of file that can be checked.
type Kind string

// The kinds of files.
const (
	Definition Kind = "definition"
	RunFile    Kind = "runfile"
	Schema     Kind = "schema"
	Answer     Kind = "answer"
)

// BaselineFile is the kind of a baseline of which entries are not used. It is
// none of [Kinds]: it is reported beside the files that are checked.
const BaselineFile Kind = "baseline"

// Kinds lists the kinds of files.
var Kinds = []Kind{Definition, RunFile, Schema, Answer}

// Title names a kind for people.
func (k Kind) Title() string {
	switch k {
	case Definition:
		return "tool definition"
	case RunFile:
		return "run file"
	case Schema:
		return "JSON Schema"
	}
	return string(k)
}

// Keys at the top of a file that speak for a kind.
var (
	definitionKeys = []string{"name", "signature", "effect", "builtin", "examples", "parameters"}
	schemaKeys     = []string{"$schema", "$id", "$ref", "$defs", "type", "properties", "items", "anyOf", "oneOf", "allOf", "enum", "const"}
)

// KindOf tells the kind of a file from its content, however broken that is. It
// reports false when nothing speaks for any kind: an answer can look like
// anything.
func KindOf(src []byte) (Kind, bool) {
	src = bytes.TrimPrefix(src, []byte("\ufeff"))
	if hasDefinitionLine(src) {
		return Definition, true
	}
	src = bytes.TrimLeft(src, " \t\r\n")
	if !bytes.HasPrefix(src, []byte("{")) {
		return "", false
	}
	if first, _, _ := bytes.Cut(src, []byte("\n")); gjson.GetBytes(first, "kind").String() == string(runfile.KindRun) {
		return RunFile, true
	}
	definition, schema := 0, 0
	gjson.ParseBytes(src).ForEach(func(key, value gjson.Result) bool {
		switch {
		case key.String() == "type" && !namesType(value):
		case slices.Contains(definitionKeys, key.String()):
			definition++
		case slices.Contains(schemaKeys, key.String()):
			schema++
		}
		return true
	})
	switch {
	case schema > 0:
		return Schema, true
	case definition > 1:
		return Definition, true
	}
	return "", false
}

// namesType reports whether a value is what stands under "type" in a schema.
func namesType(v gjson.Result) bool {
	names := []string{"object", "array", "string", "number", "integer", "boolean", "null"}
	return v.IsArray() || slices.Contains(names, v.String())
}

// hasDefinitionLine reports whether a line of a YAML text begins with a key of
// definitions.
func hasDefinitionLine(src []byte) bool {
	for line := range bytes.Lines(src) {
		key, _, ok := bytes.Cut(line, []byte(":"))
		if ok && slices.Contains(definitionKeys, string(key)) {
			return true
		}
	}
	return false
}
