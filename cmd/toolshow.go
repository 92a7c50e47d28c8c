package cmd

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"github.com/tidwall/gjson"

	"oneshot/pkg/diag/report"
	"oneshot/pkg/policy"
	"oneshot/pkg/tool"
)

// A toolDoc is the JSON form of a definition.
type toolDoc struct {
	Name        string            `json:"name"`
	Description string            `json:"description"`
	Signature   string            `json:"signature"`
	Parameters  json.RawMessage   `json:"parameters"` // JSON Schema
	Returns     string            `json:"returns,omitempty"`
	Examples    []exampleDoc      `json:"examples"`
	InPrompt    *int              `json:"prompt_examples,omitempty"` // nil if not defined
	Effect      tool.Effect       `json:"effect"`
	Idempotent  bool              `json:"idempotent"`
	Key         string            `json:"key,omitempty"` // where a program or server gets the idempotency key
	Scopes      []string          `json:"scopes,omitempty"`
	AnyScopes   []string          `json:"any_scopes,omitempty"` // one is enough
	Connection  string            `json:"connection,omitempty"`
	Renew       string            `json:"renew,omitempty"`
	Identifiers []string          `json:"identifiers,omitempty"` // paths such as items[].id
	Ask         map[string]string `json:"ask,omitempty"`
	Labels      []string          `json:"labels,omitempty"`
	Cache       string            `json:"cache,omitempty"` // how long a result of a read may be used again
	Timeout     string            `json:"timeout,omitempty"`
	Rate        string            `json:"rate,omitempty"`
	MaxBytes    int64             `json:"max_bytes,omitempty"`
	ModelBytes  int64             `json:"model_bytes,omitempty"`
	Tags        []string          `json:"tags,omitempty"`
	Builtin     string            `json:"builtin,omitempty"`
	Exec        json.RawMessage   `json:"exec,omitempty"` // from the definition
	HTTP        json.RawMessage   `json:"http,omitempty"` // from the definition
	Source      string            `json:"source"`         // "shipped", or file:line

	params []tool.Param
}

type exampleDoc struct {
	Call string `json:"call"`
	Note string `json:"note,omitempty"`
}

func newToolDoc(d *tool.Definition) toolDoc {
	doc := toolDoc{
		Name: d.Name, Description: d.Description, Signature: d.Signature.String(), Parameters: d.Schema,
		Returns: d.Returns, Examples: []exampleDoc{}, InPrompt: d.PromptExamples, Effect: d.Effect, Idempotent: d.Idempotent, Scopes: d.Scopes,
		Rate: d.Rate.String(), MaxBytes: d.MaxBytes, ModelBytes: d.ModelBytes, Tags: d.Tags, Builtin: d.Builtin,
		AnyScopes: d.AnyScopes, Connection: d.Connection, Renew: d.Renew, Ask: d.Ask, Labels: policy.LabelNames(d.Labels),
		Source: fmt.Sprintf("%s:%d", d.File, d.Line), params: d.Signature.Params,
	}
	for _, place := range d.Identifiers {
		doc.Identifiers = append(doc.Identifiers, place.String())
	}
	if d.Exec != nil {
		doc.Exec = d.Exec.Raw
	}
	if d.HTTP != nil {
		doc.HTTP = d.HTTP.Raw
	}
	switch {
	case d.KeyEnv != "":
		doc.Key = "env " + d.KeyEnv
	case d.KeyHeader != "":
		doc.Key = "header " + d.KeyHeader
	}
	if d.Timeout > 0 {
		doc.Timeout = d.Timeout.String()
	}
	if d.Cache > 0 {
		doc.Cache = d.Cache.String()
	}
	if isShipped(d) {
		doc.Source = "shipped"
	}
	for _, e := range d.Examples {
		doc.Examples = append(doc.Examples, exampleDoc{e.Call, e.Note})
	}
	return doc
}

func (o *toolsOptions) show(c *cobra.Command, name string) error {
	registry, err := o.load(c)
	if err != nil {
		return err
	}
	def, ok := registry.Get(name)
	if !ok {
		return unknownToolError(name, registry)
	}
	if o.format == "json" {
		return report.JSON(o.console.out, newToolDoc(def))
	}
	return newToolDoc(def).print(o.console.out)
}

// print writes a definition for people.
func (d toolDoc) print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "%s\n\n%s\n\n", escapeInvisible(d.Signature), escapeInvisible(strings.TrimSpace(d.Description)))
	for _, field := range []struct{ name, value string }{
		{"effect", string(d.Effect)},
		{"idempotent", map[bool]string{true: "yes"}[d.Idempotent]},
		{"key", d.Key},
		{"scopes", strings.Join(d.Scopes, ", ")},
		{"any scope of", strings.Join(d.AnyScopes, ", ")},
		{"connection", d.Connection},
		{"renew", d.Renew},
		{"identifiers", strings.Join(d.Identifiers, ", ")},
		{"asked for", strings.Join(slices.Sorted(maps.Keys(d.Ask)), ", ")},
		{"labels", strings.Join(d.Labels, ", ")},
		{"cache", d.Cache},
		{"timeout", d.Timeout},
		{"rate", d.Rate},
		{"result", formatLimit(d.MaxBytes)},
		{"shown", formatLimit(d.ModelBytes)},
		{"in prompts", d.promptExampleCount()},
		{"tags", strings.Join(d.Tags, ", ")},
		{"builtin", d.Builtin},
		{"exec", string(d.Exec)},
		{"http", string(d.HTTP)},
		{"source", d.Source},
	} {
		if field.value != "" {
			fmt.Fprintf(w, "%s:\t%s\n", field.name, report.EscapeLine(field.value))
		}
	}
	d.printParameters(w)
	fmt.Fprint(w, "\nexamples:\n")
	for _, e := range d.Examples {
		line := "  " + report.EscapeLine(e.Call)
		if e.Note != "" {
			line += "\t" + report.EscapeLine(e.Note)
		}
		fmt.Fprintln(w, line)
	}
	return w.Flush()
}

// promptExampleCount describes how many examples a prompt shows.
func (d toolDoc) promptExampleCount() string {
	if d.InPrompt == nil {
		return ""
	}
	return fmt.Sprintf("%d of %d examples", *d.InPrompt, len(d.Examples))
}

// formatLimit describes a limit in bytes.
func formatLimit(bytes int64) string {
	if bytes == 0 {
		return ""
	}
	return fmt.Sprintf("at most %d bytes", bytes)
}

func (d toolDoc) printParameters(w io.Writer) {
	if len(d.params) == 0 {
		return
	}
	fmt.Fprint(w, "\nparameters:\n")
	rules := propertyRules(d.Parameters)
	for _, p := range d.params {
		what := p.Type.String()
		if p.Optional {
			what += ", optional"
		}
		if rule := rules[p.Name]; rule != "" {
			what += ", " + rule
		}
		fmt.Fprintf(w, "  %s\t%s\t%s\n", p.Name, report.EscapeLine(what), report.EscapeLine(p.Description))
	}
}

// propertyRules describes the constraints of each property beyond its type: "minimum 1, maximum 50".
func propertyRules(schema json.RawMessage) map[string]string {
	rules := map[string]string{}
	gjson.GetBytes(schema, "properties").ForEach(func(name, property gjson.Result) bool {
		var said []string
		property.ForEach(func(key, value gjson.Result) bool {
			if !slices.Contains(shownElsewhere, key.String()) && !value.IsObject() {
				said = append(said, key.String()+" "+value.Raw)
			}
			return true
		})
		rules[name.String()] = strings.Join(said, ", ")
		return true
	})
	return rules
}

// shownElsewhere are the keywords that the type or description of a parameter shows.
var shownElsewhere = []string{"type", "enum", "const", "items", "properties", "required", "additionalProperties", "anyOf", "oneOf", "description"}
