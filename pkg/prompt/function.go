package prompt

import (
	"strings"

	"oneshot/pkg/chat"
	"oneshot/pkg/tool"
)

// Functions returns definitions as they are published to a model that calls
// natively. What the result is goes into the description, as there is no other
// place for it.
func Functions(defs []*tool.Definition) []chat.Function {
	var out []chat.Function
	for _, def := range defs {
		description := strings.TrimSpace(def.Description)
		if def.Returns != "" {
			description += "\nReturns: " + def.Returns
		}
		out = append(out, chat.Function{Name: def.Name, Description: description, Parameters: def.Schema})
	}
	return out
}

// function renders a definition as a TypeScript signature under a JSDoc
// comment. A function without described parameters has its comment on one line.
func function(def *tool.Definition) string {
	lines := docLines(def.Description)
	for _, p := range def.Signature.Params {
		if p.Description != "" {
			lines = append(lines, docLines("@param "+p.Name+" "+p.Description)...)
		}
	}
	signature := def.Signature.String()
	switch len(lines) {
	case 0:
		return signature
	case 1:
		return "/** " + lines[0] + " */\n" + signature
	}
	return "/**\n * " + strings.Join(lines, "\n * ") + "\n */\n" + signature
}

// docLines splits text for a comment, whose end must not stand in it; it is
// escaped as people do who write globs in comments.
func docLines(text string) []string {
	text = strings.ReplaceAll(strings.TrimSpace(text), "*/", `*\/`)
	if text == "" {
		return nil
	}
	return strings.Split(text, "\n")
}
