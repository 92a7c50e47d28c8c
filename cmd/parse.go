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
	"oneshot/pkg/lint"
	"oneshot/pkg/wire"
)

// parseOptions are the flags of "oneshot parse".
type parseOptions struct {
	env     Env
	console *console

	tools     toolOptions
	dialect   string
	reasoning string
	format    string
	fields    lint.Fields
	findings  findingOptions
	coerce    bool
	context   []string
	needsCall bool
	fix       bool

	listDialects bool
	listCodes    bool
	explain      string
}

func newParse(env Env, t *console) *cobra.Command {
	o := &parseOptions{env: env, console: t}
	c := &cobra.Command{
		Use:   "parse [flags] FILE|FOLDER|-...",
		Short: "Print the tool calls in captured responses, and what is wrong with them",
		Long: `Parse reads what a model said and prints the calls in it and the findings about
them: a linter. With definitions, calls are held against them.

Exit 0 means that there are no findings at or above the threshold, exit 1 that
there are. The report is on stdout in both cases. Where an input turns out to be
unreadable behind the first megabyte of a report, what stands on stdout before exit 3
ends in the middle: the array of --format json stays open. Lines of jsonl are whole.

With definitions, --coerce reads an argument of the wrong type as one of the right
type where nothing is lost by it and nothing guessed; each is a finding.

A FILE holds a response, or several, each on lines of its own, or is a run file.
Of JSON Lines each record is read: the body of a server or call that it is, or the
member response, output, completion, content or text. --field names another member.
Records are read in parallel, in files of any size, and printed in order. Of a folder
all files are read but hidden ones, links, and binary files, which are listed.

With --fix the text of the one FILE is on stdout instead, with every repair
made that cannot change what is executed. What is left is said on stderr. A run
file is not changed.`,
		Example: `  oneshot parse testdata/readme/reply.txt
  oneshot parse --field response --id-field id testdata/readme/captured.jsonl`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error { return o.run(c.Context(), args) },
	}
	o.flags(c.Flags())
	c.MarkFlagsMutuallyExclusive("list-dialects", "list-codes", "explain", "fix")
	c.MarkFlagsMutuallyExclusive("coerce", "strict")
	c.MarkFlagsMutuallyExclusive("baseline", "write-baseline")
	c.MarkFlagsMutuallyExclusive("fix", "write-baseline")
	return c
}

func (o *parseOptions) flags(f *pflag.FlagSet) {
	o.tools.flags(f)
	f.StringVar(&o.dialect, "dialect", "auto", "how calls are written: auto tells it from the text")
	f.StringVar(&o.reasoning, "reasoning", "auto", "where the text thinks: auto, open (from its start) or off")
	f.StringVar(&o.format, "format", "text", reportFlag)
	fieldFlags(f, &o.fields)
	o.findings.flags(f)
	f.BoolVar(&o.coerce, "coerce", false, "read arguments as what the definitions say where nothing is lost, such as \"5\" as 5; not with --strict")
	f.StringArrayVar(&o.context, "context", nil, "`FILE` of what the model was told by tools or pages: a call that stands in it is no call; can be repeated")
	f.BoolVar(&o.needsCall, "require-call", false, "make an error of a response without a call")
	f.BoolVar(&o.fix, "fix", false, "print the text of the response with its safe fixes made, no report")
	f.BoolVar(&o.listDialects, "list-dialects", false, "list the dialects that can be read")
	f.BoolVar(&o.listCodes, "list-codes", false, "list the codes of findings")
	f.StringVar(&o.explain, "explain", "", "explain the findings of a `CODE`, e.g. --explain TC301")
}

func (o *parseOptions) run(ctx context.Context, args []string) error {
	if err := o.findings.check(o.format); err != nil {
		return err
	}
	if o.listDialects || o.listCodes || o.explain != "" {
		return o.document(args)
	}
	if err := o.checkFix(args); err != nil {
		return err
	}
	if err := o.checkFields(); err != nil {
		return err
	}
	options, err := o.options()
	if err != nil {
		return err
	}
	if err := checkNames("oneshot parse reply.txt, or - for stdin", args); err != nil {
		return err
	}
	if options.Context, err = o.heard(ctx, args); err != nil {
		return err
	}
	if args, err = o.expand(args, options); err != nil {
		return err
	}
	if err := o.findings.open(args); err != nil {
		return err
	}
	o.console.noteStdin(o.env, slices.Concat(args, o.context)...)
	if o.fix {
		return o.printFixed(ctx, args, options)
	}
	return o.lint(ctx, args, options)
}

// judge makes an error of findings at or above the threshold.
func (o *parseOptions) judge(tally diag.Tally) error {
	if o.findings.failOn.reached(tally) {
		return &findingsError{report.Summary(tally)}
	}
	return nil
}

// options returns how responses are to be read.
func (o *parseOptions) options() (lint.Options, error) {
	options := lint.Options{Strict: o.findings.strict, Coerce: o.coerce, NeedsCall: o.needsCall}
	var err error
	if format, ok := wire.FormatNamed(o.dialect); ok {
		options.Format = format
	} else if o.dialect != "auto" {
		if options.Dialect, err = dialectFlag(o.dialect, wire.FormatNames()...); err != nil {
			return options, err
		}
	}
	if options.Reasoning, err = reasoningFlag(o.reasoning); err != nil {
		return options, err
	}
	options.Tools, err = o.tools.forRun(o.env, o.console)
	if err == nil && o.coerce && options.Tools == nil && o.fields.Tools == "" {
		err = usagef("name the definitions with --tools or --tool", "--coerce: there are no definitions that say what arguments have to be")
	}
	return options, err
}

// expand replaces folders by the files in them.
func (o *parseOptions) expand(args []string, options lint.Options) ([]string, error) {
	fits := func(f io.Reader) bool { return o.fields.Response != "" || options.HasRecords(f, maxInput) }
	return folderReader{o.console, o.findings.strict, o.findings.baseline, fits}.expand(args)
}

// heard returns what the model was told, as --context says; nil without.
func (o *parseOptions) heard(ctx context.Context, args []string) (*dialect.Heard, error) {
	if o.context == nil {
		return nil, nil
	}
	if err := checkNames("", slices.Concat(args, o.context)); err != nil {
		return nil, err
	}
	told := &dialect.Heard{}
	for _, name := range o.context {
		text, err := readNamed(ctx, o.env, name)
		if err != nil {
			return nil, fmt.Errorf("--context: %w", err)
		}
		told.Add(text)
	}
	return told, nil
}

// reasoningFlag returns what a --reasoning flag says.
func reasoningFlag(name string) (dialect.Reasoning, error) {
	for r, n := range []string{dialect.ReasoningAuto: "auto", dialect.ReasoningOpen: "open", dialect.ReasoningOff: "off"} {
		if n == name {
			return dialect.Reasoning(r), nil
		}
	}
	return 0, usagef("choose auto, open or off", "--reasoning: unknown value %q", name)
}
