package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"oneshot/pkg/quote"
)

// agentTemplate is the agent file that "agents new" writes, with the name in the place of %s. Each commented-out key in it is
// valid, too.
const agentTemplate = `# An agent for oneshot run --agent. The keys are flags of oneshot run, with _ for -; a flag of the command line replaces
# a key. "oneshot agents show" prints what is in force, "oneshot validate" checks the file, and "oneshot explain agent-keys"
# describes every key.
version: 1
name: %s
description: Answers in another language.  # for oneshot agents list

# The models, PROVIDER/NAME. The second is asked if the first fails.
# model: [ollama/qwen3:8b, openai/gpt-5-mini]

# The prompt. ${prompt} is the prompt of the command line, and --var sets the variables.
prompt: "Answer in ${language}: ${prompt}"
vars:
  language: {enum: [German, French], default: German, description: The language of the answer.}

# Paths are relative to this file.
# system: system.md
# input: notes.txt

# The tools by name or pattern, and the folder for file tools. Tools only read, unless allow or a policy permits more.
# tool: [file_read, "vault_*"]
# root: notes
# allow: file_put
# policy: policy.yaml

# The JSON Schema of the answer, and what is printed: json, envelope, text or events.
# schema: {type: object, properties: {answer: {type: string}}, required: [answer], additionalProperties: false}
# output: envelope

# max_turns: 12
# timeout: 5m
# max_cost: 0.50
`

// create writes a new agent file for a name or at a path, and prints its path.
func (o *agentsOptions) create(value string) error {
	path, err := o.newPath(value)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return usagef("choose another name, or edit it", "%s already exists", path)
	}
	if err != nil {
		return &outputError{err}
	}
	_, err = fmt.Fprintf(f, agentTemplate, quote.JSON(agentName(path)))
	if err = errors.Join(err, f.Close()); err != nil {
		return &outputError{errors.Join(err, os.Remove(path))}
	}
	return o.console.writeVerbatim([]byte(path + "\n"))
}

// newPath returns the path of a new agent file.
func (o *agentsOptions) newPath(value string) (string, error) {
	if isAgentPath(value) {
		if !slices.Contains(yamlExtensions, filepath.Ext(value)) {
			return "", usagef("for example ./"+agentName(value)+".yaml", "%s: a new agent file must end in %s", value, strings.Join(yamlExtensions, " or "))
		}
		return value, nil
	}
	if value == "" {
		return "", usagef("for example: oneshot agents new digest", "the name of the agent is empty")
	}
	dir := agentsDir(o.env)
	if dir == "" {
		return "", usagef("set HOME or XDG_CONFIG_HOME, or name a file, e.g. ./"+value+".yaml", "there is no configuration directory")
	}
	if paths := listAgents(o.env)[value]; len(paths) > 0 { // perhaps with another extension
		return "", usagef("choose another name, or edit it", "%s already exists", paths[0])
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", &outputError{err}
	}
	return filepath.Join(dir, value+yamlExtensions[0]), nil
}
