package cmd

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
	"github.com/tidwall/gjson"

	"oneshot/pkg/agentfile"
	"oneshot/pkg/diag"
	"oneshot/pkg/lint"
	"oneshot/pkg/policy"
	"oneshot/pkg/quote"
	"oneshot/pkg/runfile"
	"oneshot/pkg/schema/yamldoc"
	"oneshot/pkg/tool"
)

// A loadedAgent is the agent file that a command uses.
type loadedAgent struct {
	*agentfile.File
	label       string // in errors: --agent, or agent for an argument
	path        string // as the command line names it, or in the configuration directory
	prompt      *promptTemplate
	dir         string // that its paths are relative to: the folder of the file, with links followed
	isInstalled bool   // its user put it into the configuration directory
	env         Env
	text        []byte
	ignored     []string       // keys that do not apply beside flags of the command line
	notOfBatch  []string       // keys that do not apply to a batch
	findings    []diag.Finding // about its references
}

// loadAgent reads the agent file that [findAgent] finds, and prints its findings.
func loadAgent(env Env, t *console, label, value string) (*loadedAgent, error) {
	a, findings, err := readAgent(env, label, value)
	if len(findings) > 0 {
		t.findings(findings, map[string]diag.Text{a.path: {Bytes: a.text}})
	}
	return a, err
}

// readAgent reads the agent file that [findAgent] finds. With findings it also returns the text of a file that has errors.
func readAgent(env Env, label, value string) (*loadedAgent, []diag.Finding, error) {
	path, err := findAgent(env, label, value)
	if err != nil {
		return nil, nil, err
	}
	src, err := readOwnFile(label, path, maxAgent)
	if err != nil {
		return nil, nil, err
	}
	v := lint.NewChecker(nil, tool.Loader{}, lint.V1Defaults{}, nil).CheckFile(path, src, lint.Agent)
	if diag.HasErrors(v.Findings) {
		hint := hintOfFindings(v.Findings)
		if firstError(v.Findings).Code == diag.SchemaMismatch {
			hint = "see oneshot explain " + keyFamily
		}
		err = usagef(hint, "%s: %s has errors", label, path)
	}
	return &loadedAgent{File: v.Agent, label: label, path: path, dir: agentFileDir(path), isInstalled: isInstalledAgent(env, path), env: env, text: src}, v.Findings, err
}

// textInAgentFile returns the text of a key of the agent file of a value of --agent, or "". Errors in the file are reported
// elsewhere.
func textInAgentFile(env Env, value, key string) string {
	path, err := findAgent(env, "--agent", value)
	if err != nil {
		return ""
	}
	src, err := readOwnFile("--agent", path, maxAgent)
	if err != nil {
		return ""
	}
	_, docs := yamldoc.Read(path, src, yamldoc.Codes{})
	if len(docs) == 0 {
		return ""
	}
	text, _ := docs[0].JSON() // nil if there is none
	return gjson.GetBytes(text, key).Str
}

// agentFileDir returns the folder that the paths of an agent file are relative to.
func agentFileDir(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	return filepath.Dir(path)
}

// title returns the name of the agent, for records and messages.
func (a *loadedAgent) title() string {
	if a.Name != "" {
		return a.Name
	}
	return agentName(a.path)
}

// agentName returns the name of an agent whose file does not have it.
func agentName(path string) string {
	base := filepath.Base(path)
	return strings.TrimSuffix(base, filepath.Ext(base))
}

// record returns the agent for a record.
func (a *loadedAgent) record() *runfile.Agent {
	if a == nil {
		return nil
	}
	sum := sha256.Sum256(a.text)
	return &runfile.Agent{Name: a.title(), File: a.path, Digest: "sha256:" + hex.EncodeToString(sum[:])}
}

// source returns the flags of the agent that apply beside those of earlier sources, the command line first.
func (a *loadedAgent) source(t *console, rows map[string]flagRow, line flagSource, others ...flagSource) (flagSource, error) {
	s := flagSource{name: agentPrefix + a.title(), kind: fromAgent, values: map[string][]string{}}
	a.ignored = nil
	earlier := append([]flagSource{line}, others...)
	for name, values := range a.Flags {
		row, ok := rows[name]
		switch {
		case !ok: // no flag of this command
		case row.agent&adds == 0 && slices.ContainsFunc(earlier, func(s flagSource) bool { return s.values[name] != nil }): // replaced
		case row.agent&widens != 0 && restricts(line):
			a.ignored = append(a.ignored, strings.ReplaceAll(name, "-", "_"))
		case row.agent&isPath != 0:
			s.values[name] = a.paths(name, values)
		case row.mayHoldKey:
			if err := a.checkSecretReferences(name, values, line); err != nil {
				return s, err
			}
			s.values[name] = values
		default:
			s.values[name] = values
		}
	}
	template := s.values["prompt-file"]
	delete(s.values, "prompt-file")
	if s.values["input"] = slices.DeleteFunc(s.values["input"], func(name string) bool { return name == anyStdin }); len(s.values["input"]) == 0 {
		delete(s.values, "input")
	}
	defaults := a.variableDefaults(earlier)
	if _, ok := rows["var"]; ok && len(defaults) > 0 {
		s.values["var"] = defaults
	}
	a.prompt = a.template(template, defaults)
	return s, a.referenceError(t)
}

// checkSecretReferences refuses references to secrets that the command line does not define: they would read any variable of
// the environment. An agent that its user installed may name them.
func (a *loadedAgent) checkSecretReferences(flag string, values []string, line flagSource) error {
	isDefined := func(name string) bool {
		return slices.ContainsFunc(line.values["secret"], func(value string) bool {
			defined, _, _ := strings.Cut(keyOf(value), "@")
			return defined == name
		})
	}
	for _, value := range values {
		for _, ref := range strings.Split(value, refOpen)[1:] {
			name, _, _ := strings.Cut(ref, refClose)
			if !a.isInstalled && !isDefined(name) {
				return usagef("allow it with --secret "+name+"@HOST=env:"+name, "%s %s: --%s names the secret %s, which the command line does not define", a.label, a.path, flag, name)
			}
		}
	}
	return nil
}

// forBatch drops the values of keys that a batch ignores, and refuses keys whose data its runs would lack.
func (a *loadedAgent) forBatch(source flagSource, rows map[string]flagRow) error {
	a.notOfBatch = nil
	for name := range a.Flags {
		if rows[name].agent&isKey == 0 && name != "input" && name != "attach" {
			delete(source.values, name)
			a.notOfBatch = append(a.notOfBatch, strings.ReplaceAll(name, "-", "_"))
		}
	}
	for _, key := range []string{"input", "attach"} {
		if slices.ContainsFunc(a.Flags[key], func(value string) bool { return value != anyStdin }) {
			return usagef("put the data into a field of each record", "--agent %s: a batch cannot use its %s", a.path, key)
		}
	}
	return nil
}

// noteIgnored names the keys that do not apply.
func (a *loadedAgent) noteIgnored(t *console) {
	if a == nil {
		return
	}
	ignored := func(keys []string) string {
		slices.Sort(keys)
		return "ignored keys of the agent " + a.title() + ": " + strings.Join(keys, ", ")
	}
	if len(a.ignored) > 0 {
		t.warn("give them as flags, if you want them", "%s (the command line has --policy or --read-only)", ignored(a.ignored))
	}
	if len(a.notOfBatch) > 0 {
		t.note("%s (they are for single runs; -o names the output of a batch)", ignored(a.notOfBatch))
	}
}

// agentPrefix begins the source of values that are from an agent file, in records.
const agentPrefix = "agent "

// anyStdin is the value of the key input for an optional stdin. A run reads stdin without a flag, so the value is dropped.
const anyStdin = "stdin"

// restricts reports whether a command line limits a run, so that an agent must not add to it.
func restricts(line flagSource) bool {
	readOnly := line.values["read-only"]
	return line.values["policy"] != nil || len(readOnly) > 0 && readOnly[0] == "true"
}

// paths returns values that are paths, relative to the working directory.
func (a *loadedAgent) paths(flag string, values []string) (paths []string) {
	for i, value := range values {
		if value == "-" || flag == "input" && value == anyStdin || flag == "schema" && strings.HasPrefix(strings.TrimSpace(value), "{") {
			paths = append(paths, value)
			continue
		}
		path := a.resolvePath(flag, value)
		a.checkPath(flag, i, path)
		paths = append(paths, path)
	}
	return paths
}

// resolvePath returns a value that is a path, relative to the working directory. The path is cleaned: .. after a link leads to
// the folder of the link, not to the parent of its target.
func (a *loadedAgent) resolvePath(flag, value string) string {
	if filepath.IsAbs(value) {
		return filepath.Clean(value)
	}
	path := filepath.Join(a.dir, value)
	if flag == "input" && isInputGlob(path) { // the name of the folder is no pattern
		path = filepath.Join(policy.EscapePathGlob(a.dir), value)
	}
	return path
}

// checkPath reports a path that the agent must not name. An agent that its user installed may name any file, except for
// the output.
func (a *loadedAgent) checkPath(flag string, index int, path string) {
	if !a.isInstalled {
		if file := a.externalFile(flag, path); file != "" {
			a.add(flag, index, "name it on the command line, if you want it: --"+flag+" "+quote.Shell(path), "%s is outside of the folder of the agent file and of the working directory", file)
			return
		}
	}
	if flag == "output-file" {
		a.checkOutput(index, path)
	}
}

// externalFile returns a file or folder that a run opens for a path and that is neither in the folder of the agent file nor in
// the working directory, with links followed, or "".
func (a *loadedAgent) externalFile(flag, path string) string {
	isOutside := func(file string) bool {
		_, isOwn := relativeTo(a.dir, file)
		_, isHere := relativeTo(".", file)
		return !isOwn && !isHere
	}
	file := path
	switch flag {
	case "input":
		file = inputGlobFolder(path)
	case "tools":
		pinned, _ := parsePinnedPath(path) // an invalid pin is an error when it is loaded
		file = pinned.path
	}
	if isOutside(file) {
		return file
	}
	if flag == "tools" {
		files, _ := tool.DefinitionFiles(disk{}, file) // loading them reports errors
		if i := slices.IndexFunc(files, isOutside); i >= 0 {
			return files[i]
		}
	}
	return ""
}

// checkOutput reports an output file that could configure something: a hidden file, one of oneshot itself, or one that
// instructs the next run of the agent.
func (a *loadedAgent) checkOutput(index int, file string) {
	if isSameFile(a.path, file) {
		a.add("output-file", index, "choose another file", "%s is the agent file: the answer would steer its next run", file)
		return
	}
	for _, flag := range []string{"prompt-file", "system", "schema", "policy", "tools"} {
		for _, value := range a.Flags[flag] {
			source := definitionSource{path: a.resolvePath(flag, value)}
			if flag == "tools" {
				source, _ = parsePinnedPath(source.path) // an invalid pin is an error when it is loaded
			}
			if isFileName(flag, value) && isSameFile(source.path, file) {
				key := strings.ReplaceAll(flag, "-", "_")
				a.add("output-file", index, "choose another file", "%s is the %s of the agent: its answer would steer its next run", file, key)
				return
			}
		}
	}
	real := realPath(file)
	for _, own := range ownFiles(a.env) {
		if _, ok := relativeTo(own, file); ok {
			a.add("output-file", index, "choose a file elsewhere, or use -o", "%s is a file of oneshot itself", file)
			return
		}
	}
	for _, dir := range []string{".", a.dir} {
		if rel, ok := relativeTo(dir, file); ok && strings.Contains("/"+rel, "/.") {
			a.add("output-file", index, "choose another file, or use -o", "%s is hidden", file)
			return
		}
	}
	if !slices.Contains(dataExtensions, filepath.Ext(real)) {
		a.add("output-file", index, "choose another file, or use -o", "%s leads to %s", file, real)
	}
}

// dataExtensions are the extensions of the files that an agent may write its output to.
var dataExtensions = []string{".json", ".jsonl", ".md", ".txt", ".csv"}

// add adds a finding about a value of a key.
func (a *loadedAgent) add(flag string, index int, hint, format string, args ...any) {
	key := strings.ReplaceAll(flag, "-", "_")
	file, docs := yamldoc.Read(a.path, a.text, yamldoc.Codes{})
	if len(docs) == 0 {
		return // it was read before
	}
	at := docs[0].Find("/" + key + "/" + strconv.Itoa(index))
	if !at.IsPresent() {
		at = docs[0].Find("/" + key)
	}
	finding := file.Add(diag.AgentReference, at.Span(), "/"+key+": "+format, args...)
	finding.Hint, finding.Path = hint, "/"+key
	a.findings = append(a.findings, *finding)
}

// referenceError prints the findings about the references of the agent and returns their error.
func (a *loadedAgent) referenceError(t *console) error {
	if len(a.findings) == 0 {
		return nil
	}
	diag.Sort(a.findings)
	t.findings(a.findings, map[string]diag.Text{a.path: {Bytes: a.text}})
	return usagef("see oneshot explain "+string(diag.AgentReference), "%s: %s has errors", a.label, a.path)
}

// variableDefaults returns the values of the variables that no earlier source sets, as --var has them.
func (a *loadedAgent) variableDefaults(earlier []flagSource) (values []string) {
	isGiven := func(name string) bool {
		return slices.ContainsFunc(earlier, func(s flagSource) bool {
			all := slices.Concat(s.values["var"], s.values["var-file"])
			return slices.ContainsFunc(all, func(pair string) bool { return keyOf(pair) == name })
		})
	}
	for _, v := range a.Variables {
		if !v.Required && !isGiven(v.Name) {
			values = append(values, v.Name+"="+v.Default)
		}
	}
	return values
}

// template returns the prompt of the agent, whose text may be in a file, and its variables. Those in defaults have their
// default values.
func (a *loadedAgent) template(files, defaults []string) *promptTemplate {
	p := &promptTemplate{agent: a.title(), text: a.Prompt, variables: a.Variables}
	if len(files) > 0 {
		p.file = files[0]
	}
	for _, pair := range defaults {
		p.defaulted = append(p.defaulted, keyOf(pair))
	}
	return p
}

// fillFromAgent sets the flags of a command other than run from its agent file, if the command line names one.
func (o *options) fillFromAgent(env Env, t *console, set *pflag.FlagSet, on commands) error {
	if o.agent == "" {
		return nil
	}
	a, err := loadAgent(env, t, "--agent", o.agent)
	if err != nil {
		return err
	}
	hasTools := set.Changed("tools")
	source, err := a.source(t, rowsOf(on), commandLine(set))
	if err != nil {
		return err
	}
	for row := range flagRows(o, on) {
		if _, err := row.fill(set, source); err != nil {
			return err
		}
	}
	if !hasTools {
		o.tools.agent = source.name
	}
	o.prompt.template, o.agentFiles = a.prompt, []string{a.path, realPath(a.path)}
	a.noteIgnored(t)
	return checkFlags(set)
}
