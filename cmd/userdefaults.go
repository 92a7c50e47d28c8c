package cmd

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"github.com/tidwall/gjson"

	"oneshot/pkg/agentfile"
	"oneshot/pkg/diag"
	"oneshot/pkg/lint"
	"oneshot/pkg/pricing"
	"oneshot/pkg/schema"
	"oneshot/pkg/schema/yamldoc"
	"oneshot/pkg/tool"
)

// A defaultRule is the rule by which the environment and config.yaml set a flag. They set nothing that a policy or an approval
// depends on, so that they cannot widen a run.
type defaultRule uint8

const (
	settable defaultRule = iota + 1
	lowers               // if the value is below the built-in default
)

// envPrefix begins the names of the variables that set flags.
const envPrefix = "ONESHOT_"

// consoleKeys are the flags about stderr that the environment and config.yaml set, with their values.
var consoleKeys = map[string][]string{"color": {"auto", "always", "never"}, "log-format": {"text", "json"}, "quiet": {"true", "false"}}

// userDefaults are the flags and prices of the environment and of config.yaml.
type userDefaults struct {
	env, config flagSource
	prices      map[string]userPrice // by model
	path        string               // of config.yaml, "" without a configuration directory
	err         error
}

// A userPrice is a price that the user sets for a model.
type userPrice struct {
	pricing.Price
	source string
}

// pricesKey is the key of config.yaml with the prices of models, which is no flag.
const pricesKey = "prices"

// loadDefaults reads the environment and config.yaml, unless the command line has --no-config.
func loadDefaults(env Env, t *console) userDefaults {
	d := userDefaults{
		prices: map[string]userPrice{},
		env:    flagSource{name: "environment", kind: fromDefaults, values: map[string][]string{}},
		config: flagSource{name: "config.yaml", kind: fromDefaults, values: map[string][]string{}},
	}
	if dir := configDir(env); dir != "" {
		d.path = filepath.Join(dir, "config.yaml")
	}
	if hasFlag(env.Args, "--no-config") {
		return d
	}
	rows := rowsOf(forRun)
	d.err = errors.Join(d.readEnvironment(env, rows), d.readConfig(t, rows))
	return d
}

// hasFlag reports whether a command line has a switch, even if the line is invalid.
func hasFlag(args []string, flag string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	return slices.Contains(args, flag) || slices.Contains(args, flag+"=true")
}

// rowsOf returns the flags of a command by name.
func rowsOf(on commands) map[string]flagRow {
	rows := map[string]flagRow{}
	for row := range flagRows(new(options), on) {
		rows[row.name] = row
	}
	return rows
}

// settableNames returns the flags that defaults set, and the key of the prices.
func settableNames(rows map[string]flagRow) (names []string) {
	for name, row := range rows {
		if row.defaults != 0 {
			names = append(names, name)
		}
	}
	for name := range consoleKeys {
		names = append(names, name)
	}
	names = append(names, pricesKey)
	slices.Sort(names)
	return names
}

// readEnvironment reads the variables that set flags. A variable that looks like a flag and sets none is an error.
func (d *userDefaults) readEnvironment(env Env, rows map[string]flagRow) error {
	names := settableNames(rows)
	variable := func(flag string) string { return envPrefix + strings.ToUpper(strings.ReplaceAll(flag, "-", "_")) }
	var known []string
	for _, name := range names {
		known = append(known, variable(name))
	}
	for _, pair := range env.Environ {
		name, value, _ := strings.Cut(pair, "=")
		word, ok := strings.CutPrefix(name, envPrefix)
		if !ok || value == "" {
			continue
		}
		flag := strings.ReplaceAll(strings.ToLower(word), "_", "-")
		row, isFlag := rows[flag]
		if !isFlag {
			row, isFlag = rowsOf(^commands(0))[flag]
		}
		switch {
		case flag == pricesKey:
			if err := d.addPrices(d.env.name, []byte(value)); err != nil {
				return usagef(`for example {"openai/own": {"input": 0.25, "output": 2}}`, "%s: %w", name, err)
			}
		case slices.Contains(known, name):
			if err := checkDefault(rows, flag, name, value); err != nil {
				return err
			}
			d.env.values[flag] = []string{value}
		case isFlag:
			agentFile := map[bool]string{true: " or in an agent file"}[row.agent&isKey != 0]
			return usagef("give it as --"+flag+agentFile+", and unset the variable; or use --no-config", "%s: the environment does not set --%s", name, flag)
		case schema.ClosestMatch(flag, names) != "": // without the prefix, which all of them share
			return usagef(schema.DidYouMean(name, known), "%s: no flag has this variable", name)
		}
	}
	return nil
}

// readConfig reads config.yaml, which need not exist.
func (d *userDefaults) readConfig(t *console, rows map[string]flagRow) error {
	if d.path == "" {
		return nil
	}
	if _, err := os.Lstat(d.path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	src, err := readOwnFile("config.yaml", d.path, yamldoc.MaxBytes)
	switch {
	case as[*inputError](err): // no flag names the file
		return usagef("fix it, or use --no-config", "%w", err)
	case err != nil:
		return err
	}
	v := lint.NewChecker(nil, tool.Loader{}, lint.V1Defaults{}, nil).CheckFile(d.path, src, "config.v1")
	_, docs := yamldoc.Read(d.path, src, yamldoc.Codes{})
	if diag.HasErrors(v.Findings) || len(docs) != 1 {
		t.findings(v.Findings, map[string]diag.Text{d.path: {Bytes: src}})
		return usagef("fix it, or use --no-config", "%s has errors", d.path)
	}
	text, _ := docs[0].JSON() // it was checked above
	if prices := gjson.GetBytes(text, pricesKey); prices.Exists() {
		if err := d.addPrices(d.config.name, []byte(prices.Raw)); err != nil {
			return usagef("", "%s: %w", d.path, err)
		}
	}
	flags := agentfile.Flags(text)
	delete(flags, pricesKey)
	for flag, values := range flags {
		for _, value := range values {
			if err := checkDefault(rows, flag, d.path+": "+strings.ReplaceAll(flag, "-", "_"), value); err != nil {
				return err
			}
		}
		d.config.values[flag] = values
	}
	return nil
}

// addPrices adds the prices of a source, except for models that an earlier source has.
func (d *userDefaults) addPrices(source string, text []byte) error {
	prices, err := pricing.ParsePrices(text)
	for model, p := range prices {
		if _, ok := d.prices[model]; !ok {
			d.prices[model] = userPrice{p, source}
		}
	}
	return err
}

// checkDefault refuses a value that a flag does not take, and one that raises a budget.
func checkDefault(rows map[string]flagRow, flag, where, value string) error {
	if values, ok := consoleKeys[flag]; ok {
		if !slices.Contains(values, value) {
			return usagef("use "+schema.JoinOr(values), "%s: unknown value %q", where, value)
		}
		return nil
	}
	row := rows[flag]
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	row.define(set)
	f := set.Lookup(flag)
	var invalid *pflag.InvalidValueError
	switch err := set.Set(flag, value); {
	case errors.As(err, &invalid):
		return invalidValue(where, invalid)
	case err != nil:
		return usagef("", "%s: %w", where, err)
	}
	switch provider, _ := cutProvider(value); {
	case flag == "base-url" && provider == "":
		return usagef("for example openai=https://models.example.org/v1", "%s: the address has no provider", where)
	case flag == "model" && isRecording(value), flag == "responder" && isRecording(value):
		return usagef("use --"+flag+" "+value, "%s: a replay belongs to one run", where)
	case row.defaults == lowers && !isWithinLimit(f.Value.String(), f.DefValue):
		return usagef("give it as --"+flag+" or in an agent file", "%s: %s raises the budget of %s", where, value, cmp.Or(map[bool]string{true: "no limit"}[f.DefValue == "0"], f.DefValue))
	}
	return checkFlags(set)
}

// isWithinLimit reports whether a budget is at most its default. A default of 0 means no limit.
func isWithinLimit(value, most string) bool {
	number := func(text string) float64 {
		if d, err := time.ParseDuration(text); err == nil {
			return d.Seconds()
		}
		n, _ := strconv.ParseFloat(text, 64) // the flag has parsed it
		return n
	}
	if number(most) == 0 {
		return number(value) > 0
	}
	return number(value) <= number(most)
}

// sources returns the sources in their order.
func (d userDefaults) sources() ([]flagSource, error) { return []flagSource{d.env, d.config}, d.err }

// ownPrices returns the prices that the user sets.
func (d userDefaults) ownPrices() (pricing.Prices, error) {
	prices := pricing.Prices{}
	for model, p := range d.prices {
		prices[model] = p.Price
	}
	return prices, d.err
}

// console returns the value of a flag about stderr, or "".
func (d userDefaults) console(flag string) string {
	for _, s := range []flagSource{d.env, d.config} {
		if values := s.values[flag]; len(values) > 0 {
			return values[0]
		}
	}
	return ""
}
