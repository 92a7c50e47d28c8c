package policy

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/tidwall/gjson"

	"oneshot/pkg/diag"
	"oneshot/pkg/schema"
	"oneshot/pkg/tool"
)

// addNormalizedURLs adds the normalized form of each listed URL, because values are compared in that form, too: see
// decodeValue.
func (r *argRule) addNormalizedURLs(def *tool.Definition) {
	if !def.HasFormat(r.name, "uri") {
		return
	}
	for _, text := range slices.Clone(r.in) {
		if a, err := parseURL(strings.TrimPrefix(text, canonicalText(""))); err == nil {
			r.in = append(r.in, canonicalText(a.normalized))
		}
	}
}

// checkCompatibility reports constraints that can never match the parameter, or not reliably.
func (c *compiler) checkCompatibility(at string, r argRule, def *tool.Definition) {
	property := gjson.GetBytes(def.Schema, "properties."+gjson.Escape(r.name))
	is := func(format string) bool { return def.HasFormat(r.name, format) }
	asText := r.globs != nil || r.match != nil
	nested := func(t gjson.Result) bool { return t.Str == "object" || t.Str == "array" }
	switch {
	case property.Get("type").Str == "object" || nested(property.Get("items.type")):
		c.addFinding(diag.PolicyArgument, at, "%s of %s contains objects or lists, which rules cannot inspect", r.name, def.Name)
	case r.constrainsURL() && !is("uri"):
		c.addFinding(diag.PolicyArgument, at, "%s of %s is not a URL: its definition lacks format: uri", r.name, def.Name)
	case is("path") && slices.ContainsFunc(r.globs, func(g glob) bool { return !g.canMatchCleanPath() }):
		c.addFinding(diag.PolicyArgument, at, "%s of %s is below the root: a path cannot begin or end with a slash or contain the segments . and ..", r.name, def.Name)
	case asText && !allowsType(property, "string"):
		c.addFinding(diag.PolicyArgument, at, "%s of %s is not text, so no pattern can match it", r.name, def.Name).Hint = "write the values: {in: [5, true]}"
	case slices.ContainsFunc(r.in, func(one string) bool { return !allowsType(property, jsonTypeOf(one)) }):
		c.addFinding(diag.PolicyArgument, at, "%s of %s can have none of these values: its definition has another type", r.name, def.Name)
	case asText && is("uri"):
		c.addFinding(diag.PolicyArgument, at, "%s of %s is a URL, which can be written in many ways", r.name, def.Name).Hint = "match its parts: {scheme: [https], host: [docs.example.com], path: [/v1/**]}"
	case r.prefix == nil && is("command"):
		c.addFinding(diag.PolicyArgument, at, "%s of %s is a command, which can be written in many ways", r.name, def.Name).Hint = "match its first words: {prefix: [git, status]}"
	case r.prefix != nil && (is("path") || is("uri")):
		c.addFinding(diag.PolicyArgument, at, "%s of %s has no words: it holds paths or URLs, and a prefix would match only the first ones", r.name, def.Name)
	case r.prefix != nil && !is("command") && !strings.Contains(property.Get("type").Raw, "array"):
		c.addFinding(diag.PolicyArgument, at, "%s of %s has no words: it is neither a list nor a command", r.name, def.Name)
	}
}

// allowsType reports whether a property, or its items, can have a JSON type. It returns true if the schema does not
// say so at its top level.
func allowsType(property gjson.Result, kind string) bool {
	for _, types := range []gjson.Result{property.Get("type"), property.Get("items.type")} {
		for _, t := range types.Array() {
			if t.Str == kind || t.Str == "integer" && kind == "number" {
				return true
			}
		}
	}
	return !property.Get("type").Exists() || property.Get("items").Exists() && !property.Get("items.type").Exists()
}

// jsonTypeOf returns the JSON type of a value in the form of [canonicalScalar].
func jsonTypeOf(one string) string {
	switch {
	case strings.HasPrefix(one, canonicalText("")):
		return "string"
	case one == "true", one == "false":
		return "boolean"
	case one == "null":
		return "null"
	}
	return "number"
}

// escapePointer escapes a key for a JSON pointer.
func escapePointer(key string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
}

// checkParameter reports whether a tool has a parameter. If not it adds a finding: the rule would never match.
func (c *compiler) checkParameter(at, name string, def *tool.Definition) bool {
	if def == nil || slices.Contains(def.ParameterNames(), name) {
		return def != nil
	}
	f := c.addFinding(diag.PolicyArgument, at, "%s has no parameter %q", def.Name, name)
	f.Hint = schema.DidYouMean(name, def.ParameterNames())
	return false
}

func (c *compiler) compileConstraint(at string, raw json.RawMessage) constraint {
	if raw[0] == '[' {
		var patterns []string
		if c.unmarshal(at, raw, &patterns) && len(patterns) == 0 {
			c.addFinding(diag.PolicyValue, at, "empty constraint")
		}
		return constraint{globs: compileEach(c, at, patterns, newGlob)}
	}
	var in struct {
		In     []json.RawMessage `json:"in"`
		Match  *string           `json:"match"`
		Prefix []string          `json:"prefix"`
		Scheme []string          `json:"scheme"`
		Host   []string          `json:"host"`
		Port   []int             `json:"port"`
		Path   []string          `json:"path"`
	}
	if !c.unmarshal(at, raw, &in) {
		return constraint{}
	}
	out := constraint{prefix: in.Prefix, port: in.Port}
	for _, v := range in.In {
		out.in = append(out.in, canonicalScalar(gjson.ParseBytes(v)))
	}
	out.scheme = compileEach(c, at+"/scheme", in.Scheme, checkScheme)
	out.host = compileEach(c, at+"/host", in.Host, newHostGlob)
	out.path = compileEach(c, at+"/path", in.Path, newURLPathGlob)
	if in.Match != nil {
		var err error
		if out.match, err = c.compileRegex(*in.Match); err != nil {
			c.addFinding(diag.PolicyValue, at+"/match", "%v", err)
		}
	}
	given := 0
	for _, n := range []int{listLength(in.In), listLength(in.Prefix), listLength(in.Scheme), listLength(in.Host), listLength(in.Port), listLength(in.Path)} {
		given += max(n, 0)
		if n == 0 {
			c.addFinding(diag.PolicyValue, at, "a list of the constraint is empty")
		}
	}
	if given == 0 && in.Match == nil {
		c.addFinding(diag.PolicyValue, at, "empty constraint")
	}
	return out
}

func checkScheme(name string) (string, error) {
	if name = strings.ToLower(name); name != "http" && name != "https" {
		return "", errors.New("the scheme must be http or https")
	}
	return name, nil
}

// listLength returns the length of a list, -1 for nil.
func listLength[T any](list []T) int {
	if list == nil {
		return -1
	}
	return len(list)
}

func compileEach[T any](c *compiler, at string, patterns []string, compile func(string) (T, error)) []T {
	var out []T
	for i, p := range patterns {
		one, err := compile(p)
		if err != nil {
			c.addFinding(diag.PolicyValue, at+"/"+strconv.Itoa(i), "invalid pattern %q: %v", p, err)
		}
		out = append(out, one)
	}
	return out
}

// unmarshal decodes a part of the document, whose form the schema has checked.
func (c *compiler) unmarshal(at string, raw json.RawMessage, into any) bool {
	err := jsonv2.Unmarshal(raw, into, jsonv2.RejectUnknownMembers(true))
	if err != nil {
		c.addFinding(diag.PolicyValue, at, "%v", err)
	}
	return err == nil
}
