package cmd

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"oneshot/pkg/dialect"
	"oneshot/pkg/provider"
	"oneshot/pkg/telemetry"
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

// toolNames offers the names of tools with the beginnings of their descriptions.
func toolNames(env Env, o *options, _ string) (offered []cobra.Completion) {
	for _, d := range completableTools(env, o) {
		offered = append(offered, cobra.CompletionWithDesc(d.Name, oneLineExcerpt(firstSentence(d.Description), 60)))
	}
	return offered
}

func toolScopeNames(env Env, o *options, _ string) (names []cobra.Completion) {
	for _, d := range completableTools(env, o) {
		names = slices.Concat(names, d.Scopes, d.AnyScopes)
	}
	return slices.Compact(slices.Sorted(slices.Values(names)))
}

func toolConnectionNames(env Env, o *options, _ string) (names []cobra.Completion) {
	for _, d := range completableTools(env, o) {
		if d.Connection != "" {
			names = append(names, d.Connection)
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(names)))
}

// installedAgents are the names of agents; shells list files.
func installedAgents() completion {
	list := func(env Env, _ *options, _ string) []cobra.Completion { return agentNames(env) }
	return completion{list: list, directive: cobra.ShellCompDirectiveDefault}
}

// recordedRuns are the names of recorded runs, newest first; shells list files where no name matches.
func recordedRuns() completion {
	return completion{list: runNames, directive: cobra.ShellCompDirectiveKeepOrder}
}

// maxOfferedRuns is the maximum number of run IDs that shells offer.
const maxOfferedRuns = 50

// runNames offers "last" and the newest IDs that begin with a prefix, each with its prompt.
func runNames(env Env, _ *options, prefix string) []cobra.Completion {
	paths, _ := (&runsOptions{env: env}).files() // an unreadable directory has no runs to offer
	paths = slices.DeleteFunc(paths, func(path string) bool { return !strings.HasPrefix(telemetry.Name(path), prefix) })
	paths = paths[:min(len(paths), maxOfferedRuns)]
	offered := make([]cobra.Completion, 1+len(paths))
	offered[0] = cobra.CompletionWithDesc("last", "the newest run")
	inParallel(len(paths), func(i int) {
		offered[1+i] = cobra.CompletionWithDesc(telemetry.Name(paths[i]), recordedPrompt(paths[i]))
	})
	return offered
}

// recordedPrompt returns the beginning of the prompt of a run, or "" if its record cannot be read.
func recordedPrompt(path string) string {
	log, err := readFirstRecord(path)
	if err != nil {
		return ""
	}
	run, _ := log.Run()
	return oneLineExcerpt(run.Prompt, 60)
}
