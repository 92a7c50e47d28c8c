package cmd

import (
	"cmp"
	"errors"
	"slices"

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
			return usagef(hint, "missing %s after %s", noun, c.CommandPath())
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
		return usagef(cmp.Or(hint, helpHint(c)), "%s: unexpected argument %q", c.CommandPath(), args[most])
	}
}

// helpHint names the help page of a command.
func helpHint(c *cobra.Command) string { return c.CommandPath() + " --help shows its usage" }

// usageErrorOf returns a usage error for an error of Cobra or pflag about the command line of c.
func usageErrorOf(c *cobra.Command, err error) error {
	var value *pflag.InvalidValueError
	var unknown *pflag.NotExistError
	switch {
	case as[*usageError](err):
		return err
	case errors.As(err, &value) && errors.Is(err, errTwice):
		f := value.GetFlag()
		return usagef("", "--%s is given twice: %q and %q", f.Name, f.Value, value.GetValue())
	case errors.As(err, &value):
		return invalidValue("--"+value.GetFlag().Name, value)
	case errors.As(err, &unknown):
		return &usageError{err, cmp.Or(suggestFlag(c, unknown.GetSpecifiedName()), helpHint(c))}
	}
	return &usageError{err, helpHint(c)}
}

// invalidValue returns the error for an invalid value of a flag. Name is the flag or the source of the value.
func invalidValue(name string, value *pflag.InvalidValueError) error {
	f := value.GetFlag()
	_, usage := pflag.UnquoteUsage(f)
	return usagef(usage, "%s: %q is not a valid %s", name, value.GetValue(), f.Value.Type())
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
