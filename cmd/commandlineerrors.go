package cmd

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"oneshot/pkg/schema"
)

// noArguments refuses every argument.
func noArguments(c *cobra.Command, args []string) error {
	return atMostArguments(0, "")(c, args)
}

// oneArgument requires one argument; noun names it in errors.
func oneArgument(noun, hint string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usagef(hint, "missing %s", noun)
		}
		return atMostArguments(1, hint)(c, args)
	}
}

// atMostArguments refuses a command line with more arguments than the number most. The default hint names the help page.
func atMostArguments(most int, hint string) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) <= most {
			return nil
		}
		return usagef(cmp.Or(hint, helpHint(c)), "unexpected argument %q", args[most])
	}
}

// helpHint names the help page of a command.
func helpHint(c *cobra.Command) string { return "see " + c.CommandPath() + " --help" }

// usageErrorOf returns a usage error for an error of Cobra or pflag about the command line of c.
func usageErrorOf(c *cobra.Command, err error) error {
	var value *pflag.InvalidValueError
	var missing *pflag.ValueRequiredError
	var unknown *pflag.NotExistError
	switch {
	case as[*usageError](err):
		return err
	case errors.As(err, &value) && errors.Is(err, errTwice):
		f := value.GetFlag()
		return usagef("", "--%s is given twice: %q and %q", f.Name, f.Value, value.GetValue())
	case errors.As(err, &value):
		return invalidValue("--"+value.GetFlag().Name, value)
	case errors.As(err, &missing):
		_, usage := pflag.UnquoteUsage(missing.GetFlag())
		return usagef(usage, "--%s needs a value", missing.GetFlag().Name)
	case errors.As(err, &unknown):
		name := unknown.GetSpecifiedName()
		return &usageError{err, cmp.Or(promptHint(c, name), suggestFlag(c, name), helpHint(c))}
	}
	if first, second := exclusiveFlags(c.Flags()); second != "" {
		return usagef("omit one of them", "--%s cannot be combined with --%s", first, second)
	}
	return &usageError{err, helpHint(c)}
}

// invalidValue returns the error for an invalid value of a flag. Name is the flag or the source of the value.
func invalidValue(name string, value *pflag.InvalidValueError) error {
	if errors.Is(value, strconv.ErrRange) {
		return usagef("", "%s: %s is out of range", name, value.GetValue())
	}
	noun, hint := nounOfType(value.GetFlag().Value.Type())
	return usagef(hint, "%s: expected %s, got %q", name, noun, value.GetValue())
}

// nounOfType names the values of a type of flags, and returns a hint with examples or "".
func nounOfType(name string) (noun, hint string) {
	switch name {
	case "int", "int64":
		return "an integer", ""
	case "float64":
		return "a number", ""
	case "bool":
		return "true or false", ""
	case "duration":
		return "a duration with a unit", "for example 90s or 5m"
	case "age":
		return "an age", "for example 7d or 12h"
	case "start time":
		return "an age, a date or a time", "for example 7d, 2026-11-28 or 2026-11-28T09:00:00Z"
	case "USD":
		return "an amount in US dollars", "for example 0.50"
	}
	return "a valid " + name, ""
}

// exclusiveGroups is Cobra's annotation of flags of which a command line takes one: their names, a group per value.
const exclusiveGroups = "cobra_annotation_mutually_exclusive"

// exclusiveFlags returns two given flags that exclude each other, or "".
func exclusiveFlags(set *pflag.FlagSet) (first, second string) {
	set.Visit(func(f *pflag.Flag) {
		for _, group := range f.Annotations[exclusiveGroups] {
			for _, name := range strings.Fields(group) {
				if second == "" && name != f.Name && set.Changed(name) {
					first, second = f.Name, name
				}
			}
		}
	})
	return first, second
}

// promptHint returns the hint for a flag that names the prompt in other programs, or "".
func promptHint(c *cobra.Command, flag string) string {
	if (flag == "prompt" || flag == "p") && (!c.HasParent() || c.CommandPath() == "oneshot run") {
		return "the prompt is an argument: oneshot run 'What is new?'"
	}
	return ""
}

// suggestFlag returns a hint at the flag that a misspelt one resembles, or "".
func suggestFlag(c *cobra.Command, name string) string {
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	slices.Sort(names)
	if near := schema.ClosestMatch(name, names); near != "" {
		return "did you mean --" + near + "?"
	}
	return ""
}
