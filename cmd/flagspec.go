package cmd

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"oneshot/pkg/chat"
	"oneshot/pkg/dialect"
	"oneshot/pkg/provider"
	"oneshot/pkg/schema"
)

// A flagGroup is a heading of a help page and the flags under it.
type flagGroup struct {
	title string
	rows  []flagRow
}

// A flagRow describes a flag. Its registration, help, completion, record and use in later runs follow from the row.
type flagRow struct {
	name, short string
	on          commands
	field       flagField
	completes   completion
	resume      resumeRule  // of run
	replay      replayRule  // of run
	merges      bool        // a K=V of one source replaces those of later sources with the same K only
	isProgram   bool        // the value can name a program in PATH
	isAddress   bool        // the value is an address, whose user information is masked wherever it is shown
	mayHoldKey  bool        // a value without a reference to a secret may be one, and is not recorded
	agent       agentRule   // of run: the key of agent files
	noKey       string      // why there is none
	defaults    defaultRule // of run and doctor: whether the environment and config.yaml set it
	help        string
}

// commands is a set of commands.
type commands uint8

const (
	forRun commands = 1 << iota
	forPrompt
	forCall   // tools call
	forTools  // tools list, tools show, parse
	forList   // tools list, tools show
	forDoctor // besides its own flags
	forBatch
)

// A resumeRule is the rule for a flag of a resumed run.
type resumeRule uint8

const (
	mayChange  resumeRule = iota + 1 // recorded, and inherited unless it is given again
	fixed                            // recorded and inherited: earlier requests depend on it
	once                             // recorded, but not by a resumed run
	unrecorded                       // applies to one command, or the record has its content
	startOnly                        // unrecorded, and refused with --resume
)

// An agentRule is the rule by which an agent file sets a flag.
type agentRule uint8

const (
	isKey  agentRule = 1 << iota
	isPath           // relative to the folder of the file
	adds             // adds to the values of the command line, which otherwise replace it
	widens           // does not apply beside a --policy or --read-only of the command line, which it could widen
)

func (r resumeRule) isRecorded() bool { return r == mayChange || r == fixed || r == once }

func (r resumeRule) isFixed() bool { return r == fixed || r == startOnly }

// A replayRule is the rule by which a replay by ID inherits a flag of the recorded run.
type replayRule uint8

const (
	ignored   replayRule = iota
	inherited            // unless it is given
	widening             // grants permissions: inherited only if calls are replayed and have no effect
)

// A flagField defines a flag that sets a field of [options].
type flagField func(f *pflag.FlagSet, r flagRow)

func text(to *string, initial string) flagField {
	return func(f *pflag.FlagSet, r flagRow) { f.StringVarP(to, r.name, r.short, initial, r.help) }
}

// textOnce is a flag that must not be repeated: a second file would silently replace the first.
func textOnce(to *string) flagField {
	return func(f *pflag.FlagSet, r flagRow) { f.VarP(&onceValue{to: to}, r.name, r.short, r.help) }
}

// optional is a flag whose value can be omitted.
func optional(to *string, omitted string) flagField {
	return func(f *pflag.FlagSet, r flagRow) {
		f.StringVarP(to, r.name, r.short, "", r.help)
		f.Lookup(r.name).NoOptDefVal = omitted
	}
}

func list(to *[]string) flagField {
	return func(f *pflag.FlagSet, r flagRow) { f.StringArrayVarP(to, r.name, r.short, nil, r.help) }
}

func toggle(to *bool) flagField {
	return func(f *pflag.FlagSet, r flagRow) { f.BoolVarP(to, r.name, r.short, false, r.help) }
}

func count(to *int, initial int) flagField {
	return func(f *pflag.FlagSet, r flagRow) { f.IntVarP(to, r.name, r.short, initial, r.help) }
}

func integer(to *int64) flagField {
	return func(f *pflag.FlagSet, r flagRow) { f.Int64VarP(to, r.name, r.short, 0, r.help) }
}

func decimal(to *float64) flagField {
	return func(f *pflag.FlagSet, r flagRow) { f.Float64VarP(to, r.name, r.short, 0, r.help) }
}

func dollars(to *chat.USD) flagField {
	return func(f *pflag.FlagSet, r flagRow) { f.VarP((*dollarValue)(to), r.name, r.short, r.help) }
}

func duration(to *time.Duration, initial time.Duration) flagField {
	return func(f *pflag.FlagSet, r flagRow) { f.DurationVarP(to, r.name, r.short, initial, r.help) }
}

// errTwice is the error of a flag that is given twice.
var errTwice = errors.New("given twice")

// A onceValue is a string that can be set once.
type onceValue struct {
	to    *string
	isSet bool
}

func (v *onceValue) Set(text string) error {
	if v.isSet {
		return errTwice
	}
	*v.to, v.isSet = text, true
	return nil
}

func (v *onceValue) String() string {
	if v.to == nil {
		return ""
	}
	return *v.to
}

// Type returns the name that help shows.
func (*onceValue) Type() string { return "string" }

// A dollarValue is an amount of US dollars.
type dollarValue chat.USD

func (v *dollarValue) Set(text string) error {
	amount, err := chat.ParseUSD(text)
	*v = dollarValue(amount)
	return err
}

func (v *dollarValue) String() string { return chat.USD(*v).String() }

// Type returns the name that help shows.
func (*dollarValue) Type() string { return "USD" }

// A completion lists the values that shells offer for a flag or an argument.
type completion struct {
	values    []string
	isClosed  bool // other values are a usage error
	list      func(env Env, o *options, prefix string) []cobra.Completion
	directive cobra.ShellCompDirective
	reason    string // why there is nothing to offer
}

// oneOf are the only values of a flag.
func oneOf(values ...string) completion {
	return completion{values: values, isClosed: true, directive: cobra.ShellCompDirectiveNoFileComp}
}

// example are some of the values of a flag.
func example(values ...string) completion {
	return completion{values: values, directive: cobra.ShellCompDirectiveNoFileComp}
}

// listed are values that depend on the machine, on other flags or on the prefix to complete.
func listed(list func(env Env, o *options, prefix string) []cobra.Completion) completion {
	return completion{list: list, directive: cobra.ShellCompDirectiveNoFileComp}
}

func fileNames() completion {
	return completion{reason: "shells list files", directive: cobra.ShellCompDirectiveDefault}
}

func folderNames() completion {
	return completion{reason: "shells list folders", directive: cobra.ShellCompDirectiveFilterDirs}
}

func nothing(reason string) completion {
	return completion{reason: reason, directive: cobra.ShellCompDirectiveNoFileComp}
}

// complete returns the function with which Cobra completes a flag, or each argument of a command.
func (c completion) complete(env Env, o *options) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if c.list != nil {
			return c.list(env, o, prefix), c.directive
		}
		return c.values, c.directive
	}
}

// completeFirst is complete for a command of which only the first argument can be completed.
func (c completion) completeFirst(env Env, o *options) cobra.CompletionFunc {
	complete := c.complete(env, o)
	return func(command *cobra.Command, args []string, prefix string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return complete(command, args, prefix)
	}
}

// closedValues is the annotation of a flag that takes no other values.
const closedValues = "oneshot_values"

// define defines the flag.
func (r flagRow) define(set *pflag.FlagSet) {
	r.field(set, r)
	if r.completes.isClosed {
		set.Lookup(r.name).Annotations = map[string][]string{closedValues: r.completes.values}
	}
}

// checkFlags refuses empty values, which are unset variables in a script, and values outside a closed set.
func checkFlags(set *pflag.FlagSet) (err error) {
	set.Visit(func(f *pflag.Flag) {
		known := f.Annotations[closedValues]
		switch values := flagValues(f); {
		case slices.Contains(values, ""):
			err = cmp.Or(err, usagef("omit the flag, or check the variable it comes from", "--%s is empty", f.Name))
		case known != nil && !slices.Contains(known, values[0]):
			assign := " "
			if f.NoOptDefVal != "" { // without = the next word is an argument
				assign = "="
			}
			err = cmp.Or(err, usagef("use --"+f.Name+assign+schema.JoinOr(known), "--%s: unknown value %q", f.Name, values[0]))
		}
	})
	return err
}

// flagValues returns the values of a flag.
func flagValues(f *pflag.Flag) []string {
	if list, ok := f.Value.(pflag.SliceValue); ok {
		return list.GetSlice()
	}
	return []string{f.Value.String()}
}

// checkFormat refuses an unknown --format.
func checkFormat(format string, known ...string) error {
	if slices.Contains(known, format) {
		return nil
	}
	return usagef("use --format "+schema.JoinOr(known), "--format: unknown value %q", format)
}

// taughtFlag returns the dialect that the prompt teaches for a --dialect flag.
func taughtFlag(name string) (dialect.Dialect, error) {
	if name == "auto" || name == native {
		name = "tool" // for models without native calls
	}
	if provider.ProtocolNamed(name) != nil {
		return dialect.Dialect{}, usagef("use "+strings.Join(dialectNames().values, ", "), "--dialect: %s is the format of a server's responses: no model writes it as text", name)
	}
	return dialectFlag(name)
}

// dialectFlag returns the dialect that a --dialect flag names. Besides are other values that the flag accepts.
func dialectFlag(name string, besides ...string) (dialect.Dialect, error) {
	d, ok := dialect.Lookup(name)
	if !ok {
		hint := cmp.Or(dialect.DidYouMean(name, besides...), "see oneshot parse --list-dialects")
		return d, usagef(hint, "--dialect: unknown dialect %q", name)
	}
	return d, nil
}
