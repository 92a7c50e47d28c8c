package provider

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"oneshot/pkg/chat"
)

// maxToolName is the maximum length of a tool name for OpenAI and Anthropic.
const maxToolName = 64

// A NameCollisionError reports that two tools get the same name on a server that forbids some characters in names.
type NameCollisionError struct {
	Names [2]string
	Wire  string // their common name on the server
}

func (e *NameCollisionError) Error() string {
	return fmt.Sprintf("tools %q and %q: the server would know both as %q", e.Names[0], e.Names[1], e.Wire)
}

// toolNames maps tool names between definitions and the server.
type toolNames struct {
	any           bool              // the server accepts any name
	fromWireNames map[string]string // from the server's names to those of the definitions
}

// newToolNames returns the names of the tools of a request.
func newToolNames(any bool, tools []chat.Function) (toolNames, error) {
	n := toolNames{any: any, fromWireNames: make(map[string]string, len(tools))}
	for _, f := range tools {
		w := n.toWire(f.Name)
		if other, taken := n.fromWireNames[w]; taken && other != f.Name {
			return n, &NameCollisionError{Names: [2]string{other, f.Name}, Wire: w}
		}
		n.fromWireNames[w] = f.Name
	}
	return n, nil
}

// toWire converts a name to ^[a-zA-Z0-9_-]{1,64}$: it replaces other characters by underscores and shortens long names
// with a digest.
func (n toolNames) toWire(name string) string {
	if n.any {
		return name
	}
	w := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, name)
	switch sum := sha256.Sum256([]byte(name)); {
	case w == "":
		return "_"
	case len(w) > maxToolName:
		digest := "_" + hex.EncodeToString(sum[:4])
		return w[:maxToolName-len(digest)] + digest
	}
	return w
}

// fromWire converts a name of the server to that of a definition. Unknown names are unchanged.
func (n toolNames) fromWire(wire string) string {
	if name, ok := n.fromWireNames[wire]; ok {
		return name
	}
	return wire
}
