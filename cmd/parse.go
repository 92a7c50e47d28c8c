package cmd

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/diag/report"
	"oneshot/pkg/dialect"
	"oneshot/pkg/lint"
	"oneshot/pkg/wire"
)

// parseOptions are the flags of "oneshot parse".
type parseOptions struct {
	env  Env
	talk *talk

	tools     toolOptions
	dialect   string
	reasoning string
	format    string
	findings  findingOptions
	fix       bool

	listDialects bool
	listCodes    bool
	explain      string
}

func newParse(env Env, t *talk) *cobra.Command {
	o := &parseOptions{env: env, talk: t}
	c := &cobra.Command{
		Use:   "parse [flags] FILE|-...",
		Short: "Print the tool calls in captured responses, and what is wrong with them",
		Long: `Parse reads what a model said and prints the calls in it and the findings about
them: a linter. With definitions, calls are held against them.

Exit 0 means that there are no findings at or above the threshold, exit 1 that
there are. The report is on stdout in both cases.

With --fix the text of the one response is on stdout instead, with every repair
made that cannot change what is executed. What is left is said on stderr.`,
		Example: `  oneshot parse testdata/readme/reply.txt
  oneshot parse --tool 'vault_*' --format json --fail-on never testdata/readme/reply.txt`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error { return o.run(c.Context(), args) },
	}
	o.flags(c.Flags())
	c.MarkFlagsMutuallyExclusive("list-dialects", "list-codes", "explain", "fix")
	c.MarkFlagsMutuallyExclusive("baseline", "write-baseline")
	c.MarkFlagsMutuallyExclusive("fix", "write-baseline")
	return c
}

func (o *parseOptions) flags(f *pflag.FlagSet) {
	o.tools.flags(f)
	f.StringVar(&o.dialect, "dialect", "auto", "how calls are written: auto tells it from the text")
	f.StringVar(&o.reasoning, "reasoning", "auto", "where the text thinks: auto, open (from its start) or off")
	f.StringVar(&o.format, "format", "text", reportFlag)
	o.findings.flags(f)
	f.BoolVar(&o.fix, "fix", false, "print the text of the response with its safe fixes made, no report")
	f.BoolVar(&o.listDialects, "list-dialects", false, "list the dialects that can be read")
	f.BoolVar(&o.listCodes, "list-codes", false, "list the codes of findings")
	f.StringVar(&o.explain, "explain", "", "explain the findings of a `CODE`, e.g. --explain TC301")
}

func (o *parseOptions) run(ctx context.Context, args []string) error {
	if err := checkFormat(o.format, reportFormats...); err != nil {
		return err
	}
	if err := o.findings.check(); err != nil {
		return err
	}
	if o.listDialects || o.listCodes || o.explain != "" {
		return o.document(args)
	}
	if err := o.checkFix(args); err != nil {
		return err
	}
	options, err := o.options()
	if err != nil {
		return err
	}
	if err := checkNames("oneshot parse reply.txt, or - for stdin", args); err != nil {
		return err
	}
	if err := o.findings.open(); err != nil {
		return err
	}
	o.talk.noteStdin(o.env, args...)
	if o.format == "jsonl" {
		return o.stream(ctx, args, options)
	}
	files, err := readFiles(ctx, o.env, args)
	if err != nil {
		return err
	}
	if o.fix {
		return o.printFixed(files[0], options)
	}
	records, files, err := o.read(files, options)
	if err != nil {
		return err
	}
	if err := o.print(records, files); err != nil {
		return err
	}
	return o.judge(records)
}

// record reads one file, and leaves the findings that count.
func (o *parseOptions) record(f file, options lint.Options) lint.Record {
	r := lint.Response(f.name, f.text, options)
	o.findings.count(subject{f, r.Calls, &r.Findings})
	return r
}

// aboutBaseline returns the record of what is wrong with the baseline. It has no
// dialect.
func (o *parseOptions) aboutBaseline(stale []diag.Finding) lint.Record {
	return lint.Record{File: o.findings.base.name, Why: "it is the baseline", Calls: []lint.Call{}, Findings: stale}
}

// read returns a record of each file, and at the end one of the baseline when
// something is wrong with it.
func (o *parseOptions) read(files []file, options lint.Options) ([]lint.Record, []file, error) {
	records := make([]lint.Record, len(files))
	for i, f := range files {
		records[i] = o.record(f, options)
	}
	stale, err := o.findings.settle(o.talk)
	if len(stale) > 0 {
		records, files = append(records, o.aboutBaseline(stale)), append(files, o.findings.base)
	}
	return records, files, err
}

// stream reads one file after the other, and writes the record of each before it
// looks at the next.
func (o *parseOptions) stream(ctx context.Context, args []string, options lint.Options) error {
	quota := o.findings.quota()
	var all []lint.Record // only their findings
	write := func(r lint.Record) error {
		all = append(all, lint.Record{Findings: r.Findings})
		r.Findings, r.FindingsCut = quota.take(r.Findings)
		return report.JSONLine(o.talk.out, r)
	}
	for _, name := range args {
		text, err := readNamed(ctx, o.env, name)
		if err != nil {
			return err
		}
		if err := write(o.record(file{name, text}, options)); err != nil {
			return err
		}
	}
	stale, err := o.findings.settle(o.talk)
	if err != nil {
		return err
	}
	if len(stale) > 0 {
		if err := write(o.aboutBaseline(stale)); err != nil {
			return err
		}
	}
	return o.judge(all)
}

// judge makes an error of findings at or above the threshold.
func (o *parseOptions) judge(records []lint.Record) error {
	var all []diag.Finding
	for _, r := range records {
		all = append(all, r.Findings...)
	}
	if o.findings.failOn.reached(all) {
		return &findingsError{report.Summary(all)}
	}
	return nil
}

// options returns how responses are to be read.
func (o *parseOptions) options() (lint.Options, error) {
	options := lint.Options{Strict: o.findings.strict}
	var err error
	if format, ok := wire.FormatNamed(o.dialect); ok {
		options.Format = format
	} else if o.dialect != "auto" {
		if options.Dialect, err = dialectFlag(o.dialect); err != nil {
			return options, err
		}
	}
	if options.Reasoning, err = reasoningFlag(o.reasoning); err != nil {
		return options, err
	}
	options.Tools, err = o.tools.forRun(o.env, o.talk)
	return options, err
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

// print writes the report to stdout.
func (o *parseOptions) print(records []lint.Record, files []file) error {
	quota := o.findings.quota()
	switch o.format {
	case "json":
		shown := slices.Clone(records)
		for i, r := range records {
			shown[i].Findings, shown[i].FindingsCut = quota.take(r.Findings)
		}
		return report.JSON(o.talk.out, shown)
	case "text":
		return o.printText(records, files, quota)
	}
	findings := make([][]diag.Finding, len(records))
	for i, r := range records {
		findings[i], _ = quota.take(r.Findings)
	}
	quota.note(o.talk)
	return printForeign(o.talk.out, o.format, files, findings)
}

// printText writes the report for people.
func (o *parseOptions) printText(records []lint.Record, files []file, quota *quota) error {
	for i, r := range records {
		if r.Dialect != "" {
			printCalls(o.talk.out, r)
		}
		shown, _ := quota.take(r.Findings)
		if err := report.Text(o.talk.out, shown, files[i].source(), nil); err != nil {
			return err
		}
	}
	quota.rest(o.talk.out)
	if !o.findings.strict {
		printFixable(o.talk.out, records)
	}
	return o.talk.out.err
}

// printCalls writes what was read in one response: a line about it, and one for
// each call. The writer remembers its error.
func printCalls(w io.Writer, r lint.Record) {
	fmt.Fprintf(w, "%s: dialect %s (%s): %s, %s\n",
		report.Visible(r.File), r.Dialect, r.Why, report.Count(len(r.Calls), "call"), report.Summary(r.Findings))
	for i, c := range r.Calls {
		fmt.Fprintf(w, "%s:%d:%d: call %d: %s %s%s\n",
			report.Visible(r.File), c.Span.Line, c.Span.Column, i, report.Visible(c.Name), shortened(report.Visible(string(c.Arguments))), remark(c))
	}
}

// remark says what is special about a call: " (repaired, not executable)".
func remark(c lint.Call) string {
	var remarks []string
	if c.Status != chat.StatusOK {
		remarks = append(remarks, string(c.Status))
	}
	if !c.Executable {
		remarks = append(remarks, "not executable")
	}
	if len(remarks) == 0 {
		return ""
	}
	return " (" + strings.Join(remarks, ", ") + ")"
}

// shortened cuts a long text for people, and says how long it is.
func shortened(text string) string {
	const most = 300 // bytes
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + fmt.Sprintf("… (%d bytes)", len(text))
}
