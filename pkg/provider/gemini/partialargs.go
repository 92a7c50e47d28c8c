package gemini

import (
	"errors"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"oneshot/pkg/provider/wire"
)

// errArgumentPath reports a partial argument with an invalid path.
var errArgumentPath = errors.New("invalid argument path")

// maxPathSteps limits the steps of an argument path.
const maxPathSteps = 100

// mergeArgument merges a partial argument at its path, such as $.list[0].name. Parts of a string
// are joined.
func mergeArgument(args *wire.Node, arg gjson.Result) error {
	n, err := resolvePath(args, arg.Get("jsonPath").Str)
	if err != nil {
		return err
	}
	for _, kind := range []string{"stringValue", "numberValue", "boolValue", "nullValue"} {
		if v := arg.Get(kind); v.Exists() {
			n.Merge("", v)
			return nil
		}
	}
	return nil
}

// resolvePath returns the node at a path and creates missing nodes.
func resolvePath(n *wire.Node, path string) (*wire.Node, error) {
	path, ok := strings.CutPrefix(path, "$")
	for range maxPathSteps {
		if !ok || path == "" {
			break
		}
		var step string
		if step, path, ok = cutPathStep(path); ok {
			n, ok = childOf(n, step)
		}
	}
	if !ok || path != "" {
		return nil, errArgumentPath
	}
	return n, nil
}

// cutPathStep splits the first step, either [NUMBER] or a name, from a path.
func cutPathStep(path string) (step, rest string, ok bool) {
	if name, ok := strings.CutPrefix(path, "."); ok {
		end := strings.IndexAny(name+".", ".[")
		return name[:end], name[end:], end > 0
	}
	for _, quote := range []string{`"`, `'`} {
		if name, ok := strings.CutPrefix(path, "["+quote); ok {
			return strings.Cut(name, quote+"]")
		}
	}
	end := strings.IndexByte(path, ']') + 1
	return path[:end], path[end:], end > 0
}

// childOf returns a member or, for [NUMBER], an existing or the next element.
func childOf(n *wire.Node, step string) (*wire.Node, bool) {
	if !strings.HasPrefix(step, "[") {
		return n.EnsureMember(step), true
	}
	i, err := strconv.Atoi(strings.Trim(step, "[]"))
	if err != nil {
		return nil, false
	}
	return n.EnsureItem(i)
}
