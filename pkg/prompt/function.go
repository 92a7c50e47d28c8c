package prompt

import (
	"strings"

	"oneshot/pkg/tool"
)

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
