package cmd

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"oneshot/pkg/chat"
	"oneshot/pkg/diag"
	"oneshot/pkg/diag/report"
	"oneshot/pkg/runfile"
	"oneshot/pkg/schema"
)

// The families of codes besides those of findings. Each is also an argument of "oneshot explain", which prints its table.
const (
	exitFamily  = "exit-codes"
	errorFamily = "error-codes"
	keyFamily   = "agent-keys"
)

const explainFamilies = `oneshot explain CODE|NAME documents a code:

  findings       TC301, unknown-tool   oneshot parse --list-codes lists them
  exit codes     7, denied             oneshot explain exit-codes lists them
  error codes    RATE_LIMITED          oneshot explain error-codes lists them
  agent files    max_turns             oneshot explain agent-keys lists the keys
`

// explainOptions are the flags of "oneshot explain".
type explainOptions struct {
	console *console
	format  string
}

func newExplain(t *console) *cobra.Command {
	o := &explainOptions{console: t}
	c := &cobra.Command{
		Use:   "explain [flags] [CODE|NAME]",
		Short: "Explain a finding, an exit code, an error code or a key of agent files",
		Long: `Explain documents a code: of a finding (TC301 or its slug), an exit code (its
number or name), the error code of a failed tool call (RATE_LIMITED), or a key of
agent files (max_turns). Without an argument it lists the families. exit-codes,
error-codes and agent-keys print the whole table.`,
		Example: "  oneshot explain TC301\n  oneshot explain exit-codes",
		Args:    atMostArguments(1, "explain one code at a time"),
		RunE:    func(_ *cobra.Command, args []string) error { return o.run(args) },
	}
	c.ValidArgsFunction = listed(explainArguments).completeFirst(Env{}, nil)
	c.Flags().StringVar(&o.format, "format", "text", "print `FORMAT`: text or json")
	return c
}

func (o *explainOptions) run(args []string) error {
	if err := checkFormat(o.format, "text", "json"); err != nil {
		return err
	}
	if len(args) == 0 {
		_, err := io.WriteString(o.console.out, explainFamilies)
		return err
	}
	docs := explanationsOf(args[0])
	switch {
	case len(docs) == 0:
		return unknownExplanation(args[0])
	case o.format == "json":
		return report.JSON(o.console.out, docs)
	case args[0] == exitFamily:
		_, err := io.WriteString(o.console.out, exitTable())
		return err
	case args[0] == keyFamily:
		_, err := io.WriteString(o.console.out, agentKeyTable())
		return err
	case args[0] == errorFamily:
		_, err := io.WriteString(o.console.out, errorTable())
		return err
	}
	for i, d := range docs {
		if i > 0 {
			fmt.Fprintln(o.console.out)
		}
		d.print(o.console.out)
	}
	return o.console.out.err
}

// An explanation documents one code. Its JSON form has the family of the code.
type explanation interface {
	// print writes it for people to a writer that remembers its error.
	print(w io.Writer)
	matches(name string) bool
}

// explanations returns all explanations, by family.
func explanations() []explanation {
	var all []explanation
	for _, d := range ruleDocs(diag.Rules) {
		all = append(all, d)
	}
	for _, e := range exits {
		all = append(all, exitDoc{exitFamily, e.Code, e.Name, e.Meaning, e.Retry})
	}
	for _, d := range chat.ErrorCodes {
		all = append(all, errorDoc{errorFamily, d.Code, d.Text, d.Help, d.Retryable})
	}
	for _, d := range agentKeyDocs() {
		all = append(all, d)
	}
	return all
}

// explanationsOf returns the explanations of a code, a name or a table.
func explanationsOf(name string) []explanation {
	var found []explanation
	for _, d := range explanations() {
		if d.matches(name) {
			found = append(found, d)
		}
	}
	if upper := strings.ToUpper(name); len(found) == 0 && upper != name {
		return explanationsOf(upper)
	}
	return found
}

// unknownExplanation is the error for a name that explain does not know.
func unknownExplanation(name string) error {
	var names []string
	for _, n := range explainableNames() {
		names = append(names, n.name)
	}
	return usagef(cmp.Or(schema.DidYouMean(name, names), "see oneshot explain"), "unknown code %q", name)
}

// An explainableName is an argument of explain, with a description of its explanation.
type explainableName struct{ name, description string }

// explainableNames returns the arguments of explain except the numbers of exit codes, which resemble each other too much for
// suggestions.
func explainableNames() []explainableName {
	names := []explainableName{{exitFamily, "all exit codes"}, {errorFamily, "all error codes"}, {keyFamily, "all keys of agent files"}}
	for _, r := range diag.Rules {
		names = append(names, explainableName{string(r.Code), r.Title}, explainableName{r.Slug, r.Title})
	}
	for _, e := range exits {
		names = append(names, explainableName{e.Name, e.Meaning})
	}
	for _, d := range chat.ErrorCodes {
		names = append(names, explainableName{string(d.Code), d.Text})
	}
	for _, d := range agentKeyDocs() {
		names = append(names, explainableName{d.Key, cmp.Or(d.Meaning, "not a key of agent files")})
	}
	return names
}

// explainArguments offers the arguments of explain.
func explainArguments(Env, *options, string) (offered []cobra.Completion) {
	for _, n := range explainableNames() {
		offered = append(offered, cobra.CompletionWithDesc(n.name, n.description))
	}
	for _, e := range exits {
		offered = append(offered, cobra.CompletionWithDesc(strconv.Itoa(e.Code), e.Name+": "+e.Meaning))
	}
	return offered
}

// A ruleDoc explains a finding code.
type ruleDoc struct {
	Family string `json:"family"`
	diag.Rule
}

func ruleDocs(rules []diag.Rule) []ruleDoc {
	var docs []ruleDoc
	for _, r := range rules {
		docs = append(docs, ruleDoc{r.Code.Family().Name, r})
	}
	return docs
}

func (d ruleDoc) matches(name string) bool { return name == string(d.Code) || name == d.Slug }

func (d ruleDoc) print(w io.Writer) {
	fmt.Fprintf(w, "%s %s (%s)\n\n%s\n\n%s\n", d.Code, d.Slug, d.Severities(), d.Title, d.Text)
	for _, example := range []struct{ title, text string }{{"Bad", d.Bad}, {"Good", d.Good}} {
		if example.text != "" {
			fmt.Fprintf(w, "\n%s:\n\n    %s\n", example.title, strings.ReplaceAll(example.text, "\n", "\n    "))
		}
	}
	if d.Fix != "" {
		fmt.Fprintf(w, "\nFix: %s\n", fixKinds[d.Fix])
	}
	family := d.Code.Family()
	fmt.Fprintf(w, "\nFamily %s: %s. %s\n", family.Name, family.Title, family.Examples)
}

// fixKinds describes the kinds of fixes.
var fixKinds = map[diag.FixKind]string{
	diag.Safe:    "safe, it cannot change the meaning",
	diag.Unsafe:  "unsafe, it can change the meaning",
	diag.Display: "shown only, never applied",
}

// An exitDoc explains an exit code.
type exitDoc struct {
	Family  string        `json:"family"`
	Exit    int           `json:"exit"`
	Name    string        `json:"name"`
	Meaning string        `json:"meaning"`
	Retry   runfile.Retry `json:"retry"`
}

func (d exitDoc) matches(name string) bool {
	return name == exitFamily || name == d.Name || name == strconv.Itoa(d.Exit)
}

func (d exitDoc) print(w io.Writer) {
	fmt.Fprintf(w, "exit %d %s\n\n%s\n\nRetry: %s\n", d.Exit, d.Name, d.Meaning, d.Retry)
}

// An errorDoc explains an error code.
type errorDoc struct {
	Family    string         `json:"family"`
	Code      chat.ErrorCode `json:"code"`
	Meaning   string         `json:"meaning"`
	Help      string         `json:"help"`
	Retryable bool           `json:"retryable"`
}

func (d errorDoc) matches(name string) bool { return name == errorFamily || name == string(d.Code) }

func (d errorDoc) print(w io.Writer) {
	fmt.Fprintf(w, "%s\n\n%s\n\nWhat to do: %s\nRetry: %s\n", d.Code, d.Meaning, d.Help, retryAdvice(d.Retryable))
}

// errorTable renders the table of error codes as Markdown.
func errorTable() string {
	var b strings.Builder
	b.WriteString("| code | meaning | what to do | retry |\n|---|---|---|---|\n")
	for _, d := range chat.ErrorCodes {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", d.Code, d.Text, d.Help, retryAdvice(d.Retryable))
	}
	return b.String()
}

func retryAdvice(retryable bool) string {
	if retryable {
		return "later"
	}
	return "no"
}
