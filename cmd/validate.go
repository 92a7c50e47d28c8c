package cmd

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"oneshot/pkg/diag"
	"oneshot/pkg/diag/report"
	"oneshot/pkg/lint"
)

// validateOptions are the flags of "oneshot validate".
type validateOptions struct {
	env  Env
	talk *talk

	as       string
	schema   string
	format   string
	findings findingOptions
}

func newValidate(env Env, t *talk) *cobra.Command {
	o := &validateOptions{env: env, talk: t}
	c := &cobra.Command{
		Use:   "validate [flags] FILE|-...",
		Short: "Check tool definitions, schemas, answers and run files",
		Long: `Validate checks files without running anything. The kind of a file is told from
its content, or named with --as. With --schema every file is an answer.

Exit 0 means that every file is valid, exit 1 that one is not. The report is on
stdout in both cases.`,
		Example: `  oneshot validate tooldefs/wget.yaml testdata/readme/todo.schema.json
  oneshot validate --schema testdata/readme/todo.schema.json testdata/readme/answer.json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error { return o.run(c.Context(), args) },
	}
	o.flags(c.Flags())
	c.MarkFlagsMutuallyExclusive("baseline", "write-baseline")
	return c
}

func (o *validateOptions) flags(f *pflag.FlagSet) {
	f.StringVar(&o.as, "as", "", "what the files are: "+kindNames()+"; told from their content without it")
	f.StringVar(&o.schema, "schema", "", "`FILE` with the JSON Schema of the answers, e.g. --schema digest.schema.json")
	f.StringVar(&o.format, "format", "text", reportFlag)
	o.findings.flags(f)
}

// kindNames lists the kinds of files: "definition, runfile, schema or answer".
func kindNames() string {
	names := make([]string, len(lint.Kinds))
	for i, k := range lint.Kinds {
		names[i] = string(k)
	}
	return either(names)
}

func (o *validateOptions) check() error {
	if err := checkFormat(o.format, reportFormats...); err != nil {
		return err
	}
	if err := o.findings.check(); err != nil {
		return err
	}
	kind := lint.Kind(o.as)
	switch {
	case o.as != "" && !slices.Contains(lint.Kinds, kind):
		return usagef("--as "+kindNames(), "--as: unknown value %q", o.as)
	case kind == lint.Answer && o.schema == "":
		return usagef("for example --as answer --schema digest.schema.json", "--as answer needs --schema")
	case o.schema != "" && o.as != "" && kind != lint.Answer:
		return usagef("", "--schema is for answers, and --as says %s", o.as)
	}
	return nil
}

func (o *validateOptions) run(ctx context.Context, args []string) error {
	if err := o.check(); err != nil {
		return err
	}
	answers, err := loadSchema(o.talk, o.schema)
	if err != nil {
		return err
	}
	if err := checkNames("oneshot validate tools.yaml, or - for stdin", args); err != nil {
		return err
	}
	files, err := readFiles(ctx, o.env, args)
	if err != nil {
		return err
	}
	if err := o.findings.open(); err != nil {
		return err
	}
	o.talk.noteStdin(o.env, args...)
	kinds, err := o.kinds(files)
	if err != nil {
		return err
	}
	verdicts, files, err := o.verdicts(lint.NewChecker(answers, definitionLoader("")), files, kinds)
	if err != nil {
		return err
	}
	if err := o.print(verdicts, files); err != nil {
		return err
	}
	return o.judge(verdicts)
}

// verdicts returns a verdict of each file, and at the end one of the baseline
// when something is wrong with it.
func (o *validateOptions) verdicts(checker *lint.Checker, files []file, kinds []lint.Kind) ([]lint.Verdict, []file, error) {
	verdicts := make([]lint.Verdict, len(files))
	for i, f := range files {
		verdicts[i] = checker.File(f.name, f.text, kinds[i])
		o.findings.count(subject{file: f, findings: &verdicts[i].Findings})
	}
	stale, err := o.findings.settle(o.talk)
	if len(stale) > 0 {
		base := o.findings.base
		verdicts = append(verdicts, lint.Verdict{File: base.name, Kind: lint.BaselineFile, Findings: stale})
		files = append(files, base)
	}
	return verdicts, files, err
}

// kinds says what each file is.
func (o *validateOptions) kinds(files []file) ([]lint.Kind, error) {
	kinds := make([]lint.Kind, len(files))
	for i, f := range files {
		kind, ok := lint.Kind(o.as), o.as != ""
		if !ok && o.schema != "" {
			kind, ok = lint.Answer, true
		}
		if !ok {
			kind, ok = lint.KindOf(f.text)
		}
		if !ok {
			return nil, usagef("--as "+kindNames(), "%s: cannot tell what it is", f.name)
		}
		kinds[i] = kind
	}
	return kinds, nil
}

// print writes the report to stdout.
func (o *validateOptions) print(verdicts []lint.Verdict, files []file) error {
	switch o.format {
	case "json":
		return report.JSON(o.talk.out, o.documents(verdicts))
	case "jsonl":
		return o.printLines(verdicts)
	case "text":
		return o.printText(verdicts, files)
	}
	quota, findings := o.findings.quota(), make([][]diag.Finding, len(verdicts))
	for i, v := range verdicts {
		findings[i], _ = quota.take(v.Findings)
	}
	quota.note(o.talk)
	return printForeign(o.talk.out, o.format, files, findings)
}

// printLines writes each verdict as JSON on a line.
func (o *validateOptions) printLines(verdicts []lint.Verdict) error {
	for _, doc := range o.documents(verdicts) {
		if err := report.JSONLine(o.talk.out, doc); err != nil {
			return err
		}
	}
	return nil
}

// printText writes the report for people.
func (o *validateOptions) printText(verdicts []lint.Verdict, files []file) error {
	quota := o.findings.quota()
	for i, v := range verdicts {
		shown, _ := quota.take(v.Findings)
		if err := report.Text(o.talk.out, shown, files[i].source(), nil); err != nil {
			return err
		}
		fmt.Fprintf(o.talk.out, "%s: %s\n", report.Visible(v.File), o.word(v))
	}
	quota.rest(o.talk.out)
	return o.talk.out.err
}

// word says a verdict in words: "ok (run file, 12 records, 1 warning)" or
// "tool definition: 2 errors".
func (o *validateOptions) word(v lint.Verdict) string {
	if o.findings.failOn.reached(v.Findings) {
		return v.Kind.Title() + ": " + report.Summary(v.Findings)
	}
	what := []string{v.Kind.Title()}
	switch v.Kind {
	case lint.Definition:
		what = append(what, report.Count(v.Count, "definition"))
	case lint.RunFile:
		what = append(what, report.Count(v.Count, "record"))
	}
	if len(v.Findings) > 0 {
		what = append(what, report.Summary(v.Findings))
	}
	return "ok (" + strings.Join(what, ", ") + ")"
}

// A verdictDoc is the JSON form of a verdict.
type verdictDoc struct {
	File     string         `json:"file"`
	Kind     lint.Kind      `json:"kind"`
	OK       bool           `json:"ok"` // nothing at or above the threshold
	Findings []diag.Finding `json:"findings"`
	Cut      int            `json:"findings_cut,omitempty"` // findings that the list leaves out
}

func (o *validateOptions) documents(verdicts []lint.Verdict) []verdictDoc {
	docs, quota := make([]verdictDoc, len(verdicts)), o.findings.quota()
	for i, v := range verdicts {
		shown, cut := quota.take(v.Findings)
		docs[i] = verdictDoc{v.File, v.Kind, !o.findings.failOn.reached(v.Findings), append([]diag.Finding{}, shown...), cut}
	}
	return docs
}

// judge makes an error of the first file that is not valid.
func (o *validateOptions) judge(verdicts []lint.Verdict) error {
	var bad []string
	for _, v := range verdicts {
		if o.findings.failOn.reached(v.Findings) {
			bad = append(bad, v.File+": "+report.Summary(v.Findings))
		}
	}
	switch len(bad) {
	case 0:
		return nil
	case 1:
		return &findingsError{bad[0]}
	}
	return &findingsError{fmt.Sprintf("%d of %d files are not valid", len(bad), len(verdicts))}
}
