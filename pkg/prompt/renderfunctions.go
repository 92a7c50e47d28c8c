package prompt

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"oneshot/pkg/chat"
	"oneshot/pkg/dialect"
	"oneshot/pkg/tool"
)

// Functions returns definitions as published to a model that calls natively. The result type goes into the
// description, the only place for it.
func Functions(defs []*tool.Definition) []chat.Function {
	var out []chat.Function
	for _, def := range defs {
		out = append(out, newFunction(def, nativeExamples(def)))
	}
	return out
}

// newFunction returns a definition as a function, with examples at the end of its description.
func newFunction(def *tool.Definition, examples string) chat.Function {
	description := strings.TrimSpace(def.Description)
	if def.Returns != "" {
		description += "\nReturns: " + def.Returns
	}
	return chat.Function{Name: def.Name, Description: dialect.NeutraliseText(description + examples), Parameters: neutraliseSchema(def.Schema)}
}

// functionJSONLines renders definitions as JSON, one on a line, as most chat templates do.
func functionJSONLines(defs []*tool.Definition) string {
	var lines []string
	for _, def := range defs {
		line, err := json.Marshal(newFunction(def, ""))
		if err != nil {
			panic(err) // a schema is valid JSON
		}
		lines = append(lines, `{"type":"function","function":`+string(line)+"}")
	}
	return strings.Join(lines, "\n")
}

// neutraliseSchema neutralises the descriptive texts of a schema. Values that a call can contain are unchanged.
func neutraliseSchema(schema json.RawMessage) json.RawMessage {
	if bytes.Equal(dialect.Neutralise(schema), schema) {
		return schema
	}
	var out bytes.Buffer
	dec, enc := jsontext.NewDecoder(bytes.NewReader(schema)), jsontext.NewEncoder(&out)
	name := ""
	for {
		token, err := dec.ReadToken()
		if err != nil {
			return bytes.TrimRight(out.Bytes(), "\n") // at the end: a schema is valid JSON
		}
		kind, length := dec.StackIndex(dec.StackDepth())
		switch isName := kind == '{' && length%2 == 1; {
		case isName:
			name = token.String()
		case token.Kind() == '"' && kind == '{' && slices.Contains([]string{"description", "title", "$comment"}, name):
			token = jsontext.String(dialect.NeutraliseText(token.String()))
		}
		if err := enc.WriteToken(token); err != nil {
			return schema // unreachable: keys are unique
		}
	}
}

// functionDocs renders definitions as TypeScript signatures.
func functionDocs(defs []*tool.Definition) string {
	var docs []string
	for _, def := range defs {
		docs = append(docs, functionDoc(def))
	}
	return strings.Join(docs, "\n\n")
}

// functionDoc renders a definition as a TypeScript signature with a JSDoc comment, on one line if no parameter has a
// description.
func functionDoc(def *tool.Definition) string {
	lines := docLines(dialect.NeutraliseText(def.Description))
	for _, p := range def.Signature.Params {
		if p.Description != "" {
			lines = append(lines, docLines("@param "+p.Name+" "+dialect.NeutraliseText(p.Description))...)
		}
	}
	signature := dialect.NeutraliseText(def.Signature.String())
	switch len(lines) {
	case 0:
		return signature
	case 1:
		return "/** " + lines[0] + " */\n" + signature
	}
	return "/**\n * " + strings.Join(lines, "\n * ") + "\n */\n" + signature
}

// docLines splits text into lines of a comment and escapes the comment's end as people do for globs in comments.
func docLines(text string) []string {
	text = strings.ReplaceAll(strings.TrimSpace(text), "*/", `*\/`)
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}
