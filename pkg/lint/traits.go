package lint

import (
	"bytes"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"oneshot/pkg/schema"
	"oneshot/pkg/schema/yamldoc"
)

// traits are what a kind is told from.
type traits struct {
	keys    map[string]bool // at the top
	loose   int             // lines at the top that have no key, and keys beyond [maxKeys]
	event   bool            // it is an event
	schema  bool            // it says what only a JSON Schema says
	foreign bool            // it says what no kind of file here says
}

// foreignKeys are keys at the top of what other programs read and write, and of none of
// the kinds of files here.
var foreignKeys = []string{
	"messages", "max_tokens", "stream", "choices", "contents", "function", "input_schema", "inputSchema", // of servers
	"tool_calls", "tool_call_id", "stop_reason",
	"apiVersion", "services", "jobs", "openapi", "swagger", "asyncapi", "compilerOptions", "dependencies", "devDependencies", "scripts", // of other tools
}

// plainKeys are keys of some kind of file here that mean nothing where they stand alone.
var plainKeys = []string{
	"name", "version", "description", "tags", "parameters", "limit", "timeout", "tools", "tool", "schema", "input", "output", "file", "path",
	"code", "content", "error", "ok", "id", "record", "call", "calls", "usage", "index", "namespace", "query", "results", "rules", "timestamp",
	"header", "proxy", "root", "now", "var", "param", "api", "policy", "lock", "batch", "events", "scope", "allow", "deny", "concurrency",
	"tests", "temperature", "seed", "effort", "answer", "question", "why", "nth", "checks", "instances", "limits",
}

// traitsOf reads the top of a file: as JSON, as YAML or, where it is neither, line by line.
func traitsOf(src []byte) traits {
	t := traits{keys: map[string]bool{}}
	text := bytes.TrimLeft(src, blanks)
	if isJSON(text) && (hasLines(text) || gjson.ValidBytes(text)) {
		t.value(text)
		return t
	}
	_, docs := yamldoc.Read("", src, yamlCodes)
	for i, doc := range docs {
		json, ok := doc.JSON()
		switch {
		case !ok || doc.IsNull():
		case !isJSON(json): // words behind the head of a page
			t.foreign = true
		case i == 0:
			t.value(json)
			t.schema = t.schema && isJSON(text) // a schema is JSON, if with a comma too many
		}
	}
	switch {
	case len(t.keys) > 0 || t.foreign:
	case isJSON(text): // torn
		t.value(text)
	default:
		t.lines(src)
	}
	return t
}

// value takes in an object, or the objects of a list.
func (t *traits) value(json []byte) {
	v := gjson.ParseBytes(json)
	if v.IsObject() {
		t.object(v, true)
		return
	}
	first := true
	v.ForEach(func(_, item gjson.Result) bool {
		if item.IsObject() {
			t.object(item, first)
			first = false
		}
		return true
	})
	t.schema = false                                                       // a list is none
	if t.keys["parameters"] && !t.keys["effect"] && !t.keys["signature"] { // tools as servers are told them
		t.foreign = true
	}
}

// object takes in what an object says and, of the first one, its keys.
func (t *traits) object(v gjson.Result, first bool) {
	eachMember(v, func(key string, value gjson.Result) {
		t.foreign = t.foreign || slices.Contains(foreignKeys, key) ||
			key == "role" && value.String() == "tool" || key == "content" && v.Get("role").Exists() && hasParts(value)
		if first {
			t.key(key)
			t.event = t.event || key == "event" && isEventName(value)
			t.schema = t.schema || saysSchema(key, value)
		}
	})
	if kind := v.Get("type"); kind.Exists() && !namesType(kind) {
		t.schema = false
	}
}

// maxKeys is how many keys are looked at. No kind of file here has as many.
const maxKeys = 200

// key takes in a key at the top.
func (t *traits) key(key string) {
	if len(t.keys) < maxKeys {
		t.keys[key] = true
	} else {
		t.loose++
	}
}

// hasParts reports whether a value is the content of a message as servers have it.
func hasParts(v gjson.Result) bool { return v.IsArray() && v.Get("0.type").Exists() }

// isEventName reports whether a value is the name of an event, or near one.
func isEventName(v gjson.Result) bool {
	name := v.String()
	return v.Type == gjson.String && (name == "error" || strings.HasPrefix(name, "on_"))
}

// saysSchema reports whether a member at the top is one of a JSON Schema.
func saysSchema(key string, v gjson.Result) bool {
	switch key {
	case "$schema":
		return strings.Contains(v.String(), "json-schema.org/")
	case "type":
		return namesType(v)
	case "properties", "patternProperties", "$defs", "definitions", "items":
		return v.IsObject()
	case "anyOf", "oneOf", "allOf":
		return v.IsArray() && v.Get("0").IsObject()
	case "enum":
		return v.IsArray()
	}
	return key == "$ref" || key == "const"
}

// lines takes in what stands before a colon at the beginning of the lines of a text
// or, where it begins with a list, of its items.
func (t *traits) lines(src []byte) {
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
			t.key(strings.Trim(string(key), `"'`))
		} else {
			t.loose++
		}
	}
	for _, key := range foreignKeys {
		t.foreign = t.foreign || t.keys[key]
	}
}

// eachMember passes on the members of an object.
func eachMember(v gjson.Result, pass func(key string, value gjson.Result)) {
	if v.IsObject() {
		v.ForEach(func(key, value gjson.Result) bool {
			pass(key.String(), value)
			return true
		})
	}
}

// namesType reports whether a value is what stands under "type" in a schema, or is
// near it.
func namesType(v gjson.Result) bool {
	names := []string{"object", "array", "string", "number", "integer", "boolean", "null"}
	return v.IsArray() || slices.Contains(names, v.String()) || schema.Nearest(v.String(), names) != ""
}
