package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"oneshot/pkg/diag"
	"oneshot/pkg/diag/report"
	"oneshot/pkg/lint"
	"oneshot/pkg/schema"
	"oneshot/pkg/tool"
)

// validateOptions are the flags of "oneshot validate".
type validateOptions struct {
	env     Env
	console *console

	set      *pflag.FlagSet
	as       string
	schema   string
	tools    []string
	format   string
	findings findingOptions
	fix      fixOptions
	missing  lint.V1Defaults
	kind     lint.Kind // of all files, from the flags; else ""
}

func newValidate(env Env, t *console) *cobra.Command {
	o := &validateOptions{env: env, console: t}
	c := &cobra.Command{
		Use:   "validate [flags] FILE|FOLDER|-...",
		Short: "Check definitions, agent files, policies, answers, run files and other documents",
		Long: `Validate checks files without running anything. It detects the kind of a file from
its content; --as sets it, also to the name of a published schema (oneshot schema
lists them). A file of an unknown kind is invalid; the others are still checked. With
--schema every file is an answer, or JSON Lines of answers. In a folder validate
checks all files of a known kind except hidden ones and links.

Exit 0 means that every file is valid, exit 1 that some are not. The report is on
stdout in both cases.

With --fix, validate prints the text of the one file instead, with every safe fix
applied: call records in format v1 become v2. The remaining findings go to stderr.
With --write it changes the files in place, and with --diff it prints the changes
as a unified diff.`,
		Example: `  oneshot validate tooldefs/wget.yaml prompts/demo/todo.schema.json
  oneshot validate --schema prompts/demo/todo.schema.json testdata/readme/answer.json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error { return o.run(c.Context(), args) },
	}
	o.flags(c.Flags())
	o.fix.define(c, "file")
	c.MarkFlagsMutuallyExclusive("baseline", "write-baseline")
	return c
}

func (o *validateOptions) flags(f *pflag.FlagSet) {
	f.StringVar(&o.as, "as", "", "check the files as `KIND`: "+kindNames()+" (default: detect it from the content)")
	f.Var(&onceValue{to: &o.schema}, "schema", "check the files as answers against the JSON Schema in `FILE`, e.g. --schema digest.schema.json")
	f.StringVar(&o.format, "format", "text", reportFlag)
	o.findings.flags(f)
	f.StringArrayVar(&o.tools, "tools", nil, "check policies against the tool definitions in `PATH` (or FILE@sha256:HEX) and the shipped ones, and run their tests (repeatable)")
	f.StringVar(&o.missing.ToolName, "tool-name", "", "set the tool `NAME` of v1 records, e.g. --tool-name search_docs")
	f.IntVar(&o.missing.TopK, "top-k", 0, "set to `N` the number of results that v1 records requested, e.g. --top-k 10")
	o.set = f
}

// kindNames lists the values of --as.
func kindNames() string {
	return schema.JoinOr(append(slices.Clone(lint.Kinds), "the name of a published schema"))
}

// resolveKind sets the kind of --as.
func (o *validateOptions) resolveKind() error {
	var ok bool
	if o.kind, ok = lint.KindByName(o.as); o.as == "" || ok {
		return nil
	}
	names := schema.PublishedNames()
	for _, k := range lint.Kinds {
		names = append(names, string(k))
	}
	return usagef(cmp.Or(schema.DidYouMean(o.as, names), "--as "+kindNames()), "--as: unknown value %q", o.as)
}

// check refuses invalid flags and arguments. It opens nothing.
func (o *validateOptions) check(args []string) error {
	if err := o.findings.check(o.format); err != nil {
		return err
	}
	if err := o.resolveKind(); err != nil {
		return err
	}
	switch {
	case o.set.Changed("top-k") && o.missing.TopK < 1:
		return usagef("for example --top-k 10", "--top-k must be at least 1, got %d", o.missing.TopK)
	case o.kind == lint.Answer && o.schema == "":
		return usagef("for example --as answer --schema digest.schema.json", "--as answer needs --schema")
	case o.schema != "" && o.as != "" && o.kind != lint.Answer:
		return usagef("omit one of them", "--schema cannot be combined with --as %s: it checks answers", o.as)
	case o.schema != "":
		o.kind = lint.Answer
	}
	if err := o.fix.check("file", o.format, args); err != nil {
		return err
	}
	return checkFileArgs("oneshot validate tools.yaml, or - for stdin", args)
}

func (o *validateOptions) run(ctx context.Context, args []string) error {
	if err := o.check(args); err != nil {
		return err
	}
	answers, err := loadSchema(o.console, o.schema)
	if err != nil {
		return err
	}
	folders := folderReader{console: o.console, strict: o.findings.strict, omit: o.findings.baseline, runFiles: o.canCheckByRecord()}
	named := args
	if args, err = folders.expand(named); err != nil {
		return err
	}
	if err := o.fix.check("file", o.format, args); err != nil { // a folder may have several files
		return err
	}
	if err := o.findings.openBaseline(args); err != nil {
		return err
	}
	o.console.noteUnusedStdin(o.env, args...)
	known, err := o.known()
	if err != nil {
		return err
	}
	v := &validation{validateOptions: o, checker: lint.NewChecker(answers, definitionLoader(""), o.missing, known), named: named, quota: o.findings.quota()}
	if o.fix.canFixSeveral() {
		return v.fixFiles(ctx, args)
	}
	unread, err := readFiles(ctx, o.env, o.console, args, o.isLarge, v.check)
	if err != nil {
		return err
	}
	if unread != nil && (len(v.kinds) == 0 || o.findings.writeBaseline != "") {
		return unread // nothing was checked, or a partial result would be wrong
	}
	if err := v.finish(); err != nil {
		return err
	}
	if unread != nil {
		return unread
	}
	return o.invalidFilesError(v.all)
}

// isLarge reports whether a file is checked record by record.
func (o *validateOptions) isLarge(name string) (bool, error) {
	if !o.canCheckByRecord() {
		return false, nil
	}
	return isLargeRunFile(name, o.kind == lint.RunFile)
}

// canCheckByRecord reports whether large run files are checked record by record.
func (o *validateOptions) canCheckByRecord() bool {
	return !o.fix.on && (o.kind == "" || o.kind == lint.RunFile)
}

// known returns the tools of --tools for policies, nil without it.
func (o *validateOptions) known() (*tool.Registry, error) {
	if len(o.tools) == 0 {
		return nil, nil
	}
	return everyTool(o.env, o.tools)
}

// A verdict is the result for a file.
type verdict struct {
	lint.FileResult
	text  diag.Text
	tally diag.Tally
	ok    bool // nothing is at or above the threshold
}

func (o *validateOptions) verdict(v lint.FileResult, text []byte) verdict {
	tally := diag.TallyOf(v.Findings)
	return verdict{v, diag.Text{Bytes: text}, tally, !o.findings.failOn.reached(tally)}
}

// A validation checks files one by one, so that only one text is in memory besides those with findings.
type validation struct {
	*validateOptions
	checker *lint.Checker
	named   []string    // by the command line; other files of unknown kind are skipped
	kinds   []lint.Kind // of the files so far
	toFix   *file       // the file whose fixed text is to be printed
	all     []verdict   // on the files that were not skipped
	quota   *quota      // of the findings that remain after fixes
	made    int         // fixes
}

// admit returns the kind of a file, and false if the file is skipped.
func (v *validation) admit(f file) (kind lint.Kind, ok bool) {
	kind = v.kindOf(f)
	v.kinds = append(v.kinds, kind)
	if !v.findings.strict && kind == lint.Unknown && !slices.Contains(v.named, f.name) && !lint.IsBrokenYAML(f.name, f.text) {
		v.console.note("%s skipped: unknown kind", f.name)
		return kind, false
	}
	return kind, true
}

// check checks a file, or keeps it for --fix.
func (v *validation) check(f file) error {
	kind, ok := v.admit(f)
	switch {
	case !ok:
		return nil
	case v.fix.on:
		v.toFix = &f
		return nil
	}
	result, err := verdictOn(v.checker, f, kind)
	if err != nil {
		return err
	}
	if result, err = v.checkEnvironment(result, f); err != nil {
		return err
	}
	v.findings.filterReported(subject{number: len(v.all), name: f.name, text: diag.Text{Bytes: f.text}, findings: &result.Findings})
	if len(result.Findings) == 0 {
		f.text = nil
	}
	v.all = append(v.all, v.verdict(result, f.text))
	return nil
}

// finish prints the report on all files and a stale baseline, or the fixed file.
func (v *validation) finish() error {
	switch err := v.checkFlagUse(); {
	case err != nil:
		return err
	case v.toFix != nil:
		return v.printFixed(*v.toFix, v.kinds[0])
	case len(v.all) == 0:
		return &inputError{errNoKnownKind}
	}
	stale, err := v.findings.finishBaseline(v.console)
	if err != nil {
		return err
	}
	if len(stale) > 0 {
		base := v.findings.base
		v.all = append(v.all, v.verdict(lint.FileResult{File: base.name, Kind: lint.BaselineFile, Findings: stale}, base.text))
	}
	return v.print(v.all)
}

var errNoKnownKind = errors.New("no file of a known kind")

// verdictOn checks one file.
func verdictOn(checker *lint.Checker, f file, kind lint.Kind) (v lint.FileResult, err error) {
	if !f.isLarge {
		return checker.CheckFile(f.name, f.text, kind), nil
	}
	src, err := openFile(f.name)
	if err != nil {
		return v, err
	}
	defer src.Close()
	v, err = checker.CheckRunFile(f.name, src)
	return v, readError(f.name, err)
}

// checkEnvironment adds the findings about a valid policy or agent file that its text alone does not show: about tools, the
// mode of the file and other files.
func (o *validateOptions) checkEnvironment(v lint.FileResult, f file) (lint.FileResult, error) {
	var err error
	if v.Policy != nil && len(o.tools) == 0 {
		if v, err = o.checkPolicyWithShippedTools(v, f); err != nil {
			return v, err
		}
	}
	if v.Kind == lint.Policy && f.name != "-" {
		open, err := checkPolicyMode(f.name)
		if err != nil {
			return v, err
		}
		v.Findings = append(v.Findings, open...)
	}
	if v.Agent != nil && f.name != "-" {
		v.Findings = append(v.Findings, checkAgent(o.env, f.name, f.text, v.Agent)...)
	}
	return v, nil
}

// checkPolicyWithShippedTools checks a policy with the shipped tools, if it has rules for no others. Otherwise it notes the
// checks that it skips.
func (o *validateOptions) checkPolicyWithShippedTools(v lint.FileResult, f file) (lint.FileResult, error) {
	shipped, err := everyTool(o.env, nil)
	if err != nil {
		return v, err
	}
	checked := lint.NewChecker(nil, tool.Loader{}, lint.V1Defaults{}, shipped).CheckFile(f.name, f.text, lint.Policy)
	if !slices.ContainsFunc(checked.Findings, func(f diag.Finding) bool { return f.Code == diag.PolicyTool }) {
		return checked, nil
	}
	o.console.note("%s: tool names not checked, tests not run", v.File)
	o.console.note("hint: it has rules for tools that are not shipped; add their definitions with --tools PATH")
	return v, nil
}

// kindOf returns the kind of a file.
func (o *validateOptions) kindOf(f file) lint.Kind {
	switch {
	case f.isLarge:
		return lint.RunFile
	case o.kind == "":
		kind, _ := lint.DetectKind(f.text)
		return kind
	}
	return o.kind
}

// checkFlagUse refuses or notes flags that concern none of the files.
func (v *validation) checkFlagUse() error {
	if v.missing != (lint.V1Defaults{}) && !slices.ContainsFunc(v.kinds, mayHaveCalls) {
		return usagef("omit them", "--tool-name and --top-k are for messages and events, and there are none")
	}
	if len(v.tools) > 0 && !slices.Contains(v.kinds, lint.Policy) {
		v.console.note("--tools is not used: no file is a policy")
	}
	return nil
}

// mayHaveCalls reports whether a file of a kind could hold records of calls.
func mayHaveCalls(k lint.Kind) bool { return k == lint.Unknown || k.HasCalls() }

// print writes the report to stdout.
func (o *validateOptions) print(all []verdict) error {
	quota := o.findings.quota()
	files, docs := make([]report.File, len(all)), make([]verdictDoc, len(all))
	for i, v := range all {
		shown, cut := quota.take(v.Findings)
		files[i] = report.File{Name: v.File, Number: i, Text: v.text, Findings: shown, Omitted: diag.TallyOf(cut)}
		docs[i] = verdictDoc{v.File, v.Kind, v.ok, append([]diag.Finding{}, shown...), len(cut)}
	}
	switch o.format {
	case "json":
		return report.JSON(o.console.out, docs)
	case "jsonl":
		for _, doc := range docs {
			if err := report.JSONLine(o.console.out, doc); err != nil {
				return err
			}
		}
		return nil
	case "text":
		return o.printText(all, files, quota)
	}
	quota.note(o.console)
	return printExternal(o.console.out, o.format, files)
}

// A verdictDoc is the JSON form of a verdict.
type verdictDoc struct {
	File     string         `json:"file"`
	Kind     lint.Kind      `json:"kind"`
	OK       bool           `json:"ok"`
	Findings []diag.Finding `json:"findings"`
	Cut      int            `json:"findings_cut,omitempty"` // number of omitted findings
}

// printText writes the report as text.
func (o *validateOptions) printText(all []verdict, files []report.File, quota *quota) error {
	fixable, style := 0, o.console.findingStyle(onStdout)
	for i, v := range all {
		f := files[i]
		if err := report.Text(o.console.out, f.Findings, excerptsFrom(f.Name, f.Text), style); err != nil {
			return err
		}
		fmt.Fprintf(o.console.out, "%s: %s\n", report.EscapeLine(v.File), v)
		fixable += len(diag.SafeFixes(v.Findings))
	}
	quota.printRest(o.console.out)
	printFixable(o.console.out, fixable)
	return o.console.out.err
}

// String formats a verdict: "ok (run file, 12 records, 1 warning)" or "tool definition: 2 errors".
func (v verdict) String() string {
	if !v.ok {
		return v.Kind.Title() + ": " + report.Summary(v.tally)
	}
	what := []string{v.Kind.Title()}
	if noun := v.Kind.PartNoun(); noun != "" && (v.Count > 0 || v.Kind != lint.Answer) {
		what = append(what, report.Count(v.Count, noun))
	}
	if len(v.Findings) > 0 {
		what = append(what, report.Summary(v.tally))
	}
	return "ok (" + strings.Join(what, ", ") + ")"
}

// invalidFilesError returns an error if a file is invalid.
func (o *validateOptions) invalidFilesError(all []verdict) error {
	var bad []string
	for _, v := range all {
		if !v.ok {
			bad = append(bad, v.File+": "+report.Summary(v.tally))
		}
	}
	switch len(bad) {
	case 0:
		return nil
	case 1:
		return &findingsError{bad[0]}
	}
	return &findingsError{fmt.Sprintf("%d of %d files are invalid", len(bad), len(all))}
}
