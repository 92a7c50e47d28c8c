package cmd

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"oneshot/pkg/dialect"
	"oneshot/pkg/provider"
	"oneshot/pkg/tool"
)

// modelPrefixes offers the prefixes of model names.
func modelPrefixes() completion {
	names := []string{demo, "replay:last"}
	for _, p := range provider.Presets() {
		names = append(names, p.Name+"/")
	}
	return completion{values: names, directive: cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace}
}

// dialectNames offers the values of --dialect. Other names of dialects are values as well.
func dialectNames() completion {
	names := []string{"auto", native}
	for _, d := range dialect.Dialects() {
		names = append(names, d.Name)
	}
	return example(names...)
}

// completableTools returns the definitions that --tools names, and the shipped ones. With errors there are none.
func completableTools(env Env, o *options) []*tool.Definition {
	known, err := everyTool(env, o.tools.paths)
	if err != nil {
		return nil
	}
	return known.All()
}

func toolNames(env Env, o *options) (names []string) {
	for _, d := range completableTools(env, o) {
		names = append(names, d.Name)
	}
	return names
}

func toolScopeNames(env Env, o *options) (names []string) {
	for _, d := range completableTools(env, o) {
		names = slices.Concat(names, d.Scopes, d.AnyScopes)
	}
	return slices.Compact(slices.Sorted(slices.Values(names)))
}

func toolConnectionNames(env Env, o *options) (names []string) {
	for _, d := range completableTools(env, o) {
		if d.Connection != "" {
			names = append(names, d.Connection)
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(names)))
}

// runNames returns the IDs of recorded runs, newest first.
func runNames(env Env, _ *options) []string {
	names := []string{"last"}
	paths, _ := (&runsOptions{env: env}).files() // an unreadable directory has no runs to offer
	for _, path := range paths {
		names = append(names, strings.TrimSuffix(filepath.Base(path), ".jsonl"))
	}
	return names
}
