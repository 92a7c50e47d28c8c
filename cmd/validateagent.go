package cmd

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"oneshot/pkg/agentfile"
	"oneshot/pkg/diag"
	"oneshot/pkg/lint"
	"oneshot/pkg/schema"
	"oneshot/pkg/tool"
)

// checkAgent returns findings about the references of an agent file: files that a run refuses, missing files, unknown tools,
// invalid policies, schemas and definitions, undeclared variables.
func checkAgent(env Env, name string, text []byte, file *agentfile.File) []diag.Finding {
	a := &loadedAgent{File: file, path: name, dir: agentFileDir(name), isInstalled: isInstalledAgent(env, name), env: env, text: text}
	paths := map[string][]string{}
	for flag, row := range rowsOf(forRun) {
		if row.agent&isPath != 0 {
			paths[flag] = a.paths(flag, a.Flags[flag])
		}
	}
	if len(a.findings) > 0 { // a run refuses the files, whether they exist or not
		return a.sorted()
	}
	// The output need not exist.
	for _, flag := range []string{"system", "prompt-file", "input", "attach", "root", "tools", "policy", "schema"} {
		a.checkExist(flag, paths[flag])
	}
	if len(a.findings) > 0 { // the checks below would repeat them
		return a.sorted()
	}
	a.checkTools(paths["tools"])
	a.checkPolicies(paths["policy"], paths["tools"])
	a.checkSchema(paths["schema"])
	for _, flag := range []string{"system", "prompt-file"} {
		a.checkPlaceholders(flag, paths[flag])
	}
	return a.sorted()
}

// sorted returns the findings in their order.
func (a *loadedAgent) sorted() []diag.Finding {
	diag.Sort(a.findings)
	return a.findings
}

// isFileName reports whether a value of a key is the name of one file: not stdin, a glob or a schema.
func isFileName(flag, value string) bool {
	return value != "-" && !(flag == "input" && (value == anyStdin || strings.ContainsAny(value, "*?["))) &&
		!(flag == "schema" && strings.HasPrefix(strings.TrimSpace(value), "{"))
}

// checkExist reports files that do not exist.
func (a *loadedAgent) checkExist(flag string, paths []string) {
	for i, path := range paths {
		if !isFileName(flag, path) {
			continue
		}
		if flag == "tools" {
			pinned, _ := parsePinnedPath(path)
			path = pinned.path
		}
		if _, err := os.Stat(path); err != nil {
			a.add(flag, i, "", "no such file: %s", path)
		}
	}
}

// addError adds a finding for an error about a flag.
func (a *loadedAgent) addError(flag string, index int, err error) {
	a.add(flag, index, hintOf(err), "%s", strings.TrimPrefix(err.Error(), "--"+flag+": "))
}

// checkTools reports unknown tools and invalid definitions.
func (a *loadedAgent) checkTools(paths []string) {
	options := toolOptions{paths: paths, globs: a.Flags["tool"]}
	key := "tool"
	if len(options.globs) == 0 {
		key = "tools"
	}
	if len(paths)+len(options.globs) == 0 {
		return
	}
	registry, findings, _, err := selectTools(a.env, options)
	if diag.HasErrors(findings) {
		first := firstError(findings)
		a.add("tools", 0, "see oneshot validate "+first.File, "%s: %s", first.File, first.Message)
		return
	}
	if err != nil {
		a.addError(key, 0, err)
		return
	}
	options.agent = agentPrefix + a.title()
	if err := options.checkShadows(registry); err != nil {
		a.addError("tools", 0, err)
	}
	for _, flag := range []string{"allow", "ask", "deny", "require-tool"} {
		for i, value := range a.Flags[flag] {
			named := new(resolvedFlags)
			*map[string]*[]string{"allow": &named.policy.allow, "ask": &named.policy.ask, "deny": &named.policy.deny, "require-tool": &named.require}[flag] = []string{value}
			if err := named.checkNames(registry); err != nil {
				a.addError(flag, i, err)
			}
		}
	}
}

// checkPolicies reports invalid policies.
func (a *loadedAgent) checkPolicies(policies, paths []string) {
	if len(policies) == 0 {
		return
	}
	known, err := everyTool(a.env, paths)
	if err != nil {
		return // reported with the tools
	}
	checker := lint.NewChecker(nil, tool.Loader{}, lint.V1Defaults{}, known)
	for i, path := range policies {
		src, err := readFile(path)
		if err != nil {
			a.addError("policy", i, err)
			continue
		}
		a.addFirst("policy", i, path, checker.CheckFile(path, src, lint.Policy).Findings)
	}
}

// addFirst adds a finding for the first error of a file.
func (a *loadedAgent) addFirst(flag string, index int, path string, findings []diag.Finding) {
	if diag.HasErrors(findings) {
		a.add(flag, index, "see oneshot validate "+path, "%s: %s", path, firstError(findings).Message)
	}
}

// checkSchema reports an invalid schema.
func (a *loadedAgent) checkSchema(paths []string) {
	for _, path := range paths {
		src, name := []byte(path), "the schema"
		if isFileName("schema", path) {
			var err error
			if src, err = readFile(path); err != nil {
				a.addError("schema", 0, err)
				continue
			}
			name = path
		}
		_, findings := schema.Compile(name, src)
		a.addFirst("schema", 0, name, findings)
	}
}

// checkPlaceholders reports variables of a text that are not declared.
func (a *loadedAgent) checkPlaceholders(flag string, paths []string) {
	if len(a.Variables) == 0 {
		return
	}
	for i, path := range paths {
		if !isFileName(flag, path) {
			continue
		}
		text, err := readFile(path)
		if err != nil {
			a.addError(flag, i, err)
			continue
		}
		for _, name := range agentfile.Placeholders(string(text)) {
			isKnown := slices.ContainsFunc(a.Variables, func(v agentfile.Variable) bool { return v.Name == name })
			if !isKnown && !(flag == "prompt-file" && name == agentfile.PromptVariable) {
				a.add(flag, i, "declare it in vars, or write $${"+name+"} for a literal ${"+name+"}", "%s uses ${%s}, which is not declared", filepath.Base(path), name)
			}
		}
	}
}
