package cmd

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"oneshot/pkg/diag"
	"oneshot/pkg/diag/report"
	"oneshot/pkg/dialect"
	"oneshot/pkg/dialect/echo"
	"oneshot/pkg/lint"
	"oneshot/pkg/provider"
)

// parseOptions are the flags of "oneshot parse".
type parseOptions struct {
	env     Env
	console *console

	shared    options // --tools and --tool
	dialect   string
	reasoning string
	format    string
	fields    lint.FieldPaths
	findings  findingOptions
	coerce    bool
	context   []string
	needsCall bool
	fix       fixOptions

	listDialects bool
	listCodes    bool
}

func newParse(env Env, t *console) *cobra.Command {
	o := &parseOptions{env: env, console: t}
	c := &cobra.Command{
		Use:   "parse [flags] FILE|FOLDER|-...",
		Short: "Print the tool calls in captured responses, and what is wrong with them",
		Long: `Parse is a linter for captured model responses: it prints the tool calls in them
and the findings about them. With tool definitions it also checks the calls.

Exit 0 means no findings at or above the threshold, exit 1 means some. The report
is on stdout in both cases. If an input turns out to be unreadable after the first
megabyte of output, parse exits 3 and the output is incomplete: the array of
--format json stays open. Lines of jsonl are always complete.

With definitions, --coerce converts an argument of the wrong type if nothing is
lost or guessed; each conversion is a finding.

A FILE holds a response, or several on lines of their own, or is a run file. A
record of JSON Lines is a server response or a call, or has the response in its
member response, output, completion, content or text; --field names another member.
Records are read in parallel, in files of any size, and printed in order. A file that
begins with a server response, or holds only calls, is read whole; with --field @this
its lines are records. In a folder parse reads all files except hidden ones, links,
and binary files, which it lists.

With --fix, parse prints the text of the one FILE instead, with every repair that
cannot change what is executed; the remaining findings go to stderr. With --write it
changes each FILE in place, and with --diff it prints the changes as a unified diff.
It does not change run files.`,
		Example: `  oneshot parse testdata/readme/reply.txt
  oneshot parse --field response --id-field id testdata/readme/captured.jsonl`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error { return o.run(c.Context(), args) },
	}
	o.shared.define(c, env, forTools)
	o.flags(c.Flags())
	o.fix.define(c, "response")
	c.MarkFlagsMutuallyExclusive("list-dialects", "list-codes", "fix")
	c.MarkFlagsMutuallyExclusive("coerce", "strict")
	c.MarkFlagsMutuallyExclusive("baseline", "write-baseline")
	return c
}

func (o *parseOptions) flags(f *pflag.FlagSet) {
	f.StringVar(&o.dialect, "dialect", "auto", "parse calls in the dialect `NAME`; auto detects it")
	f.StringVar(&o.reasoning, "reasoning", "auto", "set the detection of reasoning to `MODE`: auto, open (the text begins with it) or off")
	f.StringVar(&o.format, "format", "text", reportFlag)
	fieldFlags(f, &o.fields)
	o.findings.flags(f)
	f.BoolVar(&o.coerce, "coerce", false, "convert arguments to the defined type if nothing is lost, such as \"5\" to 5; not with --strict")
	f.StringArrayVar(&o.context, "context", nil, "report calls copied from `FILE`, such as a tool result or page that the model read (repeatable); with tool definitions, those that a run would deny")
	f.BoolVar(&o.needsCall, "require-call", false, "report a response without a call as an error")
	f.BoolVar(&o.listDialects, "list-dialects", false, "list the supported dialects")
	f.BoolVar(&o.listCodes, "list-codes", false, "list the finding codes")
}

func (o *parseOptions) run(ctx context.Context, args []string) error {
	if err := o.findings.check(o.format); err != nil {
		return err
	}
	if err := o.checkFix(args); err != nil {
		return err
	}
	if o.listDialects || o.listCodes {
		return o.printList(args)
	}
	if err := o.checkFields(); err != nil {
		return err
	}
	options, err := o.options()
	if err != nil {
		return err
	}
	if err := checkFileArgs("oneshot parse reply.txt, or - for stdin", args); err != nil {
		return err
	}
	if options.Context, err = o.contextTexts(ctx, args); err != nil {
		return err
	}
	if args, err = o.expand(args, options); err != nil {
		return err
	}
	if err := o.checkFix(args); err != nil { // a folder may have several files
		return err
	}
	if err := o.findings.openBaseline(args); err != nil {
		return err
	}
	o.console.noteUnusedStdin(o.env, slices.Concat(args, o.context)...)
	if o.fix.on {
		return o.applyFixes(ctx, args, options)
	}
	return o.lint(ctx, args, options)
}

// thresholdError returns an error if findings reach the threshold.
func (o *parseOptions) thresholdError(tally diag.Tally) error {
	if o.findings.failOn.reached(tally) {
		return &findingsError{report.Summary(tally)}
	}
	return nil
}

// options returns the parser options.
func (o *parseOptions) options() (lint.Options, error) {
	options := lint.Options{Strict: o.findings.strict, Coerce: o.coerce, RequireCall: o.needsCall}
	var err error
	if p := provider.ProtocolNamed(o.dialect); p != nil {
		options.Protocol = p
	} else if o.dialect != "auto" {
		if options.Dialect, err = dialectFlag(o.dialect, provider.ProtocolNames()...); err != nil {
			return options, err
		}
	}
	if options.Reasoning, err = reasoningFlag(o.reasoning); err != nil {
		return options, err
	}
	options.Tools, err = o.shared.tools.forRun(o.env, o.console)
	if err == nil && o.coerce && options.Tools == nil && o.fields.Tools == "" {
		err = usagef("name the definitions with --tools or --tool", "--coerce needs tool definitions")
	}
	return options, err
}

// expand replaces folders by their files.
func (o *parseOptions) expand(args []string, options lint.Options) ([]string, error) {
	fits := func(f io.Reader) bool { return o.fields.Response != "" || options.IsLargeJSONLines(f, maxInput) }
	return folderReader{o.console, o.findings.strict, o.findings.baseline, true, fits}.expand(args)
}

// contextTexts returns the texts of --context, nil without any.
func (o *parseOptions) contextTexts(ctx context.Context, args []string) (*echo.SeenText, error) {
	if o.context == nil {
		return nil, nil
	}
	if err := checkFileArgs("", slices.Concat(args, o.context)); err != nil {
		return nil, err
	}
	told := &echo.SeenText{}
	for _, name := range o.context {
		text, err := readNamed(ctx, o.env, name)
		if err != nil {
			return nil, fmt.Errorf("--context: %w", err)
		}
		told.Add(text)
	}
	return told, nil
}

// reasoningFlag parses --reasoning.
func reasoningFlag(name string) (dialect.Reasoning, error) {
	for r, n := range []string{dialect.ReasoningAuto: "auto", dialect.ReasoningOpen: "open", dialect.ReasoningOff: "off"} {
		if n == name {
			return dialect.Reasoning(r), nil
		}
	}
	return 0, usagef("use auto, open or off", "--reasoning: unknown value %q", name)
}
