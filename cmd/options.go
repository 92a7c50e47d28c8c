package cmd

import (
	"time"

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

	schema    string
	describe  string
	onDenied  string
	onUnknown string
	require   []string
	now, zone string
	output    string
	file      string // -o
	dryRun    bool
	lock      string
	args      string // of tools call
}

// modelOptions select models and their parameters.
type modelOptions struct {
	names     []string
	responder string
	dialect   string
	servers   serverOptions

	params      []string
	effort      string
	temperature float64
	seed        int64
}

// toolOptions select tool definitions.
type toolOptions struct {
	paths []string
	globs []string
}

// promptOptions are the parts of the prompt.
type promptOptions struct {
	system, file string
	variables    variableOptions
	input        inputOptions
	trustInput   bool
}

// inputOptions select the input of the prompt.
type inputOptions struct {
	names      []string // files, or - for stdin
	noStdin    bool
	allowEmpty bool
	wait       time.Duration // for the first byte of a stdin without a flag
}

// variableOptions are the variables of the prompt and the system prompt.
type variableOptions struct {
	values, files []string // K=V, K=FILE
}

// serverOptions are the flags about model servers.
type serverOptions struct {
	secrets   secretOptions
	api       string
	baseURLs  []string
	keys      []string
	headers   []string
	caFile    string
	proxy     string
	firstByte time.Duration
	idle      time.Duration
}

// secretOptions are the --secret flags.
type secretOptions struct{ values []string }

// confineOptions restrict what tools can access.
type confineOptions struct {
	root       string
	allowHosts []string
	speaker    string
	opener     string
}

// recordOptions select the record of a run.
type recordOptions struct {
	file      string
	noRecord  bool
	liveTools bool
	resume    string
}

// policyOptions select the policy.
type policyOptions struct {
	files       []string
	allow, deny []string
	ask         []string
	readOnly    bool
	enableExec  bool
	scopes      []string
	connections []string
	nonce       bool
}

// approveOptions select the approver.
type approveOptions struct {
	who   string
	calls []string // approvals
}

// answerOptions are the answers to the questions of tools.
type answerOptions struct{ pairs []string }
