// Package cmd is the command line: flags, files, environment and exit codes.
//
// A command is an options struct, a constructor without I/O and a run function,
// in the file of its name. Nothing below this package knows Cobra, prints, reads
// the environment or exits.
package cmd

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"oneshot/pkg/schema"
)

// Main runs the command line in env and returns the exit code.
func Main(ctx context.Context, env Env) (code int) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t := newConsole(env)
	t.abort = cancel
	defer t.programs.Kill() // even if the command was abandoned
	err, ended := runWithGrace(ctx, grace, func() error { return execute(ctx, env, t) })
	if !ended {
		t = t.forkForExit(env)
		runWithGrace(ctx, grace/4, func() error { t.live.close(); return nil }) // the command may still draw it, or block in a write to stderr
	}
	end, ended := runWithGrace(ctx, grace, func() error { return t.finish(env, err) })
	if !ended {
		if !errors.Is(err, end) {
			end = errors.Join(err, end)
		}
		runWithGrace(ctx, grace, func() error { t.report(end); return nil })
	}
	if t.lock != nil {
		_ = t.lock.Close() // the exit releases it anyway
	}
	return exitOf(end).Code
}

// finish ends the output of a command and reports its error. It returns err, joined with an error of the output.
func (t *console) finish(env Env, err error) error {
	output := outputOfCommandLine(env)
	if output == "envelope" && !helpShown(env.Args, err) && !t.delivered.Load() {
		err = errors.Join(err, t.printEnvelope(err))
	}
	if failure := t.finishEvents(output == "events", err); failure != nil {
		err = errors.Join(err, failure)
	}
	t.report(err)
	return err
}

// execute runs the command that the arguments name. It turns a panic into an error.
func execute(ctx context.Context, env Env, t *console) (err error) {
	defer recoverPanic(&err)
	if err := checkDescriptorLimit(); err != nil {
		return err
	}
	t.applyDefaults(env)
	root, started := newRoot(env, t), false
	root.InitDefaultCompletionCmd(env.Args...)
	describeCompletion(root)
	root.InitDefaultHelpCmd()
	checkArguments(root, t, &started)
	root.SetArgs(env.Args)
	c, err := root.ExecuteContextC(ctx)
	switch {
	case err != nil && !started:
		return usageErrorOf(c, err)
	case err == nil && t.out.err != nil:
		return t.out.err
	}
	return err
}

// helpShown reports whether stdout holds a help page instead of a document.
func helpShown(args []string, err error) bool {
	return err == nil && (slices.Contains(args, "--help") || slices.Contains(args, "-h"))
}

// newRoot builds the command tree. It does no I/O.
func newRoot(env Env, t *console) *cobra.Command {
	root := &cobra.Command{
		Use:               "oneshot",
		Short:             "Run an LLM agent once, from a script, and print one JSON document",
		Long:              rootHelp,
		Example:           "  oneshot demo\n  oneshot run --model ollama/qwen3:8b 'Why is the sky blue?'",
		SilenceErrors:     true,
		SilenceUsage:      true,
		DisableAutoGenTag: true,
	}
	root.SetIn(env.Stdin)
	root.SetOut(t.out)
	root.SetErr(t.err)
	root.SetUsageFunc(printUsage)
	root.PersistentFlags().StringVar(&t.color, "color", t.color, "use colour `WHEN`: auto (on a terminal), always or never")
	root.PersistentFlags().StringVar(&t.format, "log-format", "text", "write stderr as `FORMAT`: text, or json (one object per line)")
	t.format = cmp.Or(logFormat(env.Args), t.defaults.console("log-format"), "text") // even if the flags are invalid
	root.PersistentFlags().Bool("no-config", false, "ignore config.yaml and the ONESHOT_* variables that set flags")
	root.PersistentFlags().BoolVarP(&t.quiet, "quiet", "q", t.quiet, "print only errors, and warnings about incomplete results or ignored input")
	needed := neededCommands(env.Args)
	for _, c := range needed {
		root.AddCommand(c.build(env, t))
	}
	root.CompletionOptions.DisableDefaultCmd = len(needed) == 1 // another command is called
	version := root.Flags().Bool("version", false, "print the version, like oneshot version")
	root.Args = cobra.ArbitraryArgs
	root.RunE = func(c *cobra.Command, args []string) error {
		switch {
		case *version && len(args) == 0:
			return printVersion(t, "text")
		case len(args) == 0 && !t.quiet && t.format == "text":
			c.SetOut(t.err) // stdout carries data only
			if err := c.Help(); err != nil {
				return err
			}
		}
		return requireSubcommand(c, args)
	}
	return root
}

// A subcommand of the root, and its constructor.
type subcommand struct {
	name  string
	build func(Env, *console) *cobra.Command
}

var subcommands = []subcommand{
	{"run", newRun},
	{"batch", newBatch},
	{"parse", newParse},
	{"validate", newValidate},
	{"prompt", newPrompt},
	{"tools", newTools},
	{"agents", newAgents},
	{"runs", newRuns},
	{"doctor", newDoctor},
	{"demo", newDemo},
	{"schema", newSchema},
	{"version", func(_ Env, t *console) *cobra.Command { return newVersion(t) }},
	{"explain", func(_ Env, t *console) *cobra.Command { return newExplain(t) }},
}

// neededCommands returns the subcommand that the first argument names, or all. Building only one saves a millisecond.
func neededCommands(args []string) []subcommand {
	for i, c := range subcommands {
		if len(args) > 0 && args[0] == c.name {
			return subcommands[i : i+1]
		}
	}
	return subcommands
}

const rootHelp = `oneshot runs a prompt with tools, without human interaction, and prints the
answer as one JSON document on stdout. Progress, warnings and errors go to stderr.
Each stage of a run is also a command: prompt, parse, validate, tools.`

// checkArguments turns command lines that Cobra accepts into errors: a group without a subcommand, an unknown subcommand, too
// many arguments. It sets started when one of our functions runs.
func checkArguments(c *cobra.Command, t *console, started *bool) {
	for _, sub := range c.Commands() {
		checkArguments(sub, t, started)
	}
	if c.Args == nil {
		c.Args = noArguments
		if c.ValidArgsFunction == nil { // help has one
			c.ValidArgsFunction = cobra.NoFileCompletions
		}
	}
	run := c.RunE
	switch {
	case c.Name() == "help" && c.HasParent() && !c.Parent().HasParent():
		c.Args, c.Run, run = nil, nil, helpTopic
	case run == nil && c.Run != nil:
		return // Cobra's own completion scripts
	case run == nil:
		c.Args, run = cobra.ArbitraryArgs, requireSubcommand
	}
	c.RunE = func(c *cobra.Command, args []string) error {
		*started = true
		if err := errors.Join(t.checkOutputFlags(), checkFlags(c.Flags())); err != nil {
			return err
		}
		return run(c, args)
	}
}

// requireSubcommand is the error of a group without a valid subcommand.
func requireSubcommand(c *cobra.Command, args []string) error {
	group, noun, hint := "", "command", subcommandHint(c)
	if c.HasParent() {
		group = c.Name() + ": "
	}
	if c.Name() == completionCommand {
		noun = "shell"
	}
	if len(args) == 0 {
		return usagef(hint, "%smissing %s", group, noun)
	}
	if !c.HasParent() && strings.Contains(args[0], " ") {
		hint = "to run a prompt: oneshot run 'What is new?'"
	}
	return usagef(cmp.Or(suggestCommand(c, args[0]), hint), "%sunknown %s %q", group, noun, args[0])
}

// suggestCommand returns a hint at the subcommand that a misspelt one resembles, or "".
func suggestCommand(c *cobra.Command, name string) string {
	return schema.DidYouMean(name, subcommandNames(c))
}

// subcommandHint lists the subcommands of a group. For the root, which has many, and for a command without any, it names the
// help page.
func subcommandHint(c *cobra.Command) string {
	if names := subcommandNames(c); c.HasParent() && len(names) > 0 {
		return "use " + schema.JoinOr(names)
	}
	return helpHint(c)
}

// subcommandNames returns the names of the subcommands of a command.
func subcommandNames(c *cobra.Command) (names []string) {
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	return names
}

// completionCommand is the name of Cobra's command for shell completion.
const completionCommand = "completion"

// describeCompletion sets the help and the argument check of the completion command, if the tree has it.
func describeCompletion(root *cobra.Command) {
	for _, c := range root.Commands() {
		if c.Name() != completionCommand {
			continue
		}
		c.Short = "Print a completion script for " + schema.JoinOr(subcommandNames(c))
		c.Long = c.Short + ".\nTo load it, see oneshot completion SHELL --help."
		for _, shell := range c.Commands() {
			_, loading, _ := strings.Cut(shell.Long, "\n")
			shell.Short = "Print the completion script for " + shell.Name()
			shell.Long = shell.Short + ".\n" + loading
			shell.Args = noArguments
		}
	}
}

// helpTopic is "oneshot help [COMMAND]", which fails for an unknown command.
func helpTopic(c *cobra.Command, args []string) error {
	topic, rest, _ := c.Root().Find(args) // an unknown command is in the rest
	if len(rest) > 0 {
		return usagef(cmp.Or(suggestCommand(topic, rest[0]), subcommandHint(topic)), "help: unknown command %q", strings.Join(args, " "))
	}
	topic.InitDefaultHelpFlag()
	return topic.Help()
}
