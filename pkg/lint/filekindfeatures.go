package lint

import (
	"bytes"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"oneshot/pkg/schema"
	"oneshot/pkg/schema/yamldoc"
)

// features are the properties of a file that kind detection uses.
type features struct {
	keys    map[string]bool // top-level keys
	keyless int             // top-level lines without a key, and keys beyond [maxKeys]
	event   bool            // is an event
	schema  bool            // has content specific to JSON Schema
	foreign bool            // has content specific to other programs
}

// foreignKeys are top-level keys of other programs' files that no kind here has.
var foreignKeys = []string{
	"messages", "max_tokens", "stream", "choices", "contents", "function", "input_schema", "inputSchema", // model servers
	"tool_calls", "tool_call_id", "stop_reason",
	"apiVersion", "services", "jobs", "openapi", "swagger", "asyncapi", "compilerOptions", "dependencies", "devDependencies", "scripts", // other tools
}

// commonKeys are keys that alone do not indicate a kind.
var commonKeys = []string{
	"name", "version", "description", "tags", "parameters", "limit", "timeout", "tools", "tool", "schema", "input", "output", "file", "path",
	"code", "content", "error", "ok", "id", "record", "call", "calls", "usage", "index", "namespace", "query", "results", "rules", "timestamp",
	"header", "proxy", "root", "now", "var", "param", "api", "policy", "lock", "batch", "events", "scope", "allow", "deny", "concurrency",
	"tests", "temperature", "seed", "effort", "answer", "question", "why", "nth", "checks", "instances", "limits",
}

// extractFeatures reads the top level of a file as JSON, as YAML or, failing both, line by line.
func extractFeatures(src []byte) features {
	t := features{keys: map[string]bool{}}
	text := bytes.TrimLeft(src, blanks)
	if isLikelyJSON(text) && (hasObjectLines(text) || gjson.ValidBytes(text)) {
		t.addValue(text)
		return t
	}
	_, docs := yamldoc.Read("", src, yamlCodes)
	for i, doc := range docs {
		json, ok := doc.JSON()
		switch {
		case !ok || doc.IsNull():
		case !isLikelyJSON(json): // prose after front matter
			t.foreign = true
		case i == 0:
			t.addValue(json)
			t.schema = t.schema && isLikelyJSON(text) // schemas are JSON, possibly with a trailing comma
		}
	}
	switch {
	case len(t.keys) > 0 || t.foreign:
	case isLikelyJSON(text): // incomplete
		t.addValue(text)
	default:
		t.addLineKeys(src)
	}
	return t
}

// addValue adds an object, or the objects of a list.
func (t *features) addValue(json []byte) {
	v := gjson.ParseBytes(json)
	if v.IsObject() {
		t.addObject(v, true)
		return
	}
	first := true
	v.ForEach(func(_, item gjson.Result) bool {
		if item.IsObject() {
			t.addObject(item, first)
			first = false
		}
		return true
	})
	t.schema = false                                                       // a list is not a schema
	if t.keys["parameters"] && !t.keys["effect"] && !t.keys["signature"] { // tools in a server's API format
		t.foreign = true
	}
}

// addObject adds the content of an object and, for the first one, its keys.
func (t *features) addObject(v gjson.Result, first bool) {
	eachMember(v, func(key string, value gjson.Result) {
		t.foreign = t.foreign || slices.Contains(foreignKeys, key) ||
			key == "role" && value.String() == "tool" || key == "content" && v.Get("role").Exists() && hasContentParts(value)
		if first {
			t.addKey(key)
			t.event = t.event || key == "event" && isEventName(value)
			t.schema = t.schema || isSchemaMember(key, value)
		}
	})
	if kind := v.Get("type"); kind.Exists() && !isTypeName(kind) {
		t.schema = false
	}
}

// maxKeys bounds the keys that are kept. No kind has as many.
const maxKeys = 200

// addKey adds a top-level key.
func (t *features) addKey(key string) {
	if len(t.keys) < maxKeys {
		t.keys[key] = true
	} else {
		t.keyless++
	}
}

// hasContentParts reports whether a value is message content in the part format of model servers.
func hasContentParts(v gjson.Result) bool { return v.IsArray() && v.Get("0.type").Exists() }

// isEventName reports whether a value is or resembles an event name.
func isEventName(v gjson.Result) bool {
	name := v.String()
	return v.Type == gjson.String && (name == "error" || strings.HasPrefix(name, "on_"))
}

// isSchemaMember reports whether a top-level member is specific to JSON Schema.
func isSchemaMember(key string, v gjson.Result) bool {
	switch key {
	case "$schema":
		return strings.Contains(v.String(), "json-schema.org/")
	case "type":
		return isTypeName(v)
	case "properties", "patternProperties", "$defs", "definitions", "items":
		return v.IsObject()
	case "anyOf", "oneOf", "allOf":
		return v.IsArray() && v.Get("0").IsObject()
	case "enum":
		return v.IsArray()
	}
	return key == "$ref" || key == "const"
}

// addLineKeys adds the text before a colon at the start of each line or, if the text begins with a
// list, of each item.
func (t *features) addLineKeys(src []byte) {
	first, list := true, false
	for line := range bytes.Lines(src) {
		line = bytes.TrimRight(line, blanks)
		if len(line) == 0 || strings.ContainsRune("#]}", rune(line[0])) || bytes.HasPrefix(line, []byte("---")) {
			continue
		}
		if first {
			first, list = false, line[0] == '-'
		}
		if list {
			line = bytes.TrimPrefix(line, []byte("- "))
		}
		if strings.ContainsRune(" \t-", rune(line[0])) {
			continue
		}
		if key, _, ok := bytes.Cut(line, []byte(":")); ok && !bytes.ContainsAny(key, " \t") {
			t.addKey(strings.Trim(string(key), `"'`))
		} else {
			t.keyless++
		}
	}
	for _, key := range foreignKeys {
		t.foreign = t.foreign || t.keys[key]
	}
}

// eachMember calls yield for each member of an object.
func eachMember(v gjson.Result, pass func(key string, value gjson.Result)) {
	if v.IsObject() {
		v.ForEach(func(key, value gjson.Result) bool {
			pass(key.String(), value)
			return true
		})
	}
}

// isTypeName reports whether a value is valid for "type" in a schema, or nearly.
func isTypeName(v gjson.Result) bool {
	names := []string{"object", "array", "string", "number", "integer", "boolean", "null"}
	return v.IsArray() || slices.Contains(names, v.String()) || schema.ClosestMatch(v.String(), names) != ""
}
