package model

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"oneshot/pkg/chat"
)

// longestName is the longest name of a tool that OpenAI and Anthropic take.
const longestName = 64

// A NameCollisionError says that two tools cannot be told apart at a server
// that forbids some characters in names.
type NameCollisionError struct {
	Names [2]string
	Wire  string // what both would be called
}

func (e *NameCollisionError) Error() string {
	return fmt.Sprintf("tools %q and %q: the server would know both as %q", e.Names[0], e.Names[1], e.Wire)
}

// names are the names of a request's tools at its server, and back.
type names struct {
	any  bool              // the server takes any name
	back map[string]string // from the server's names to those of the definitions
}

// newNames names the tools of a request.
func newNames(any bool, tools []chat.Function) (names, error) {
	n := names{any: any, back: make(map[string]string, len(tools))}
	for _, f := range tools {
		w := n.wire(f.Name)
		if other, taken := n.back[w]; taken && other != f.Name {
			return n, &NameCollisionError{Names: [2]string{other, f.Name}, Wire: w}
		}
		n.back[w] = f.Name
	}
	return n, nil
}

// wire returns a name as the server takes it: what does not match
// ^[a-zA-Z0-9_-]{1,64}$ has an underscore for every other character, and a
// digest in place of what is too long.
func (n names) wire(name string) string {
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
	case len(w) > longestName:
		digest := "_" + hex.EncodeToString(sum[:4])
		return w[:longestName-len(digest)] + digest
	}
	return w
}

// own returns the name of a definition from that at the server. What is no
// tool's name stays as the model wrote it.
func (n names) own(wire string) string {
	if name, ok := n.back[wire]; ok {
		return name
	}
	return wire
}
