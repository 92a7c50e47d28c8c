package cmd

import (
	"oneshot/pkg/agent"
)

// options are the flags of the commands that prepare or perform runs and calls.
type options struct {
	model   modelOptions
	tools   toolOptions
	prompt  promptOptions
	confine confineOptions
	record  recordOptions
	policy  policyOptions
	approve approveOptions
	answers answerOptions
	limits  agent.Limits
	batch   batchOptions

	agent      string
	agentFiles []string // the agent file, of commands that are no run
	schema     string
	onDenied   string
	onUnknown  string
	require    []string
	now, zone  string
	output     string
	file       string // -o
	events     string // file or fd://N
	stream     string // the turns whose text is printed as it arrives, or ""
	verbose    bool   // print progress even if stderr is not a terminal
	dryRun     bool
	lock       string
	args       string // of tools call
}
