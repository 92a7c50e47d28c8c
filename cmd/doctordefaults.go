package cmd

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"slices"

	"github.com/spf13/pflag"

	"oneshot/pkg/runfile"
)

// fillDefaults sets the flags of doctor that the environment and config.yaml set, and keeps those of a run with their sources.
func (o *doctorOptions) fillDefaults(set *pflag.FlagSet) error {
	defaults, err := o.console.defaults.sources()
	if err != nil {
		return err
	}
	line := commandLine(set)
	delete(line.values, "timeout") // of doctor itself
	flags, err := resolveFlags(forRun, line, defaults...)
	if err != nil {
		return err
	}
	o.inForce = flags.settings(func(row flagRow) bool { return row.defaults != 0 })
	prices := o.console.defaults.prices
	for _, model := range slices.Sorted(maps.Keys(prices)) {
		o.inForce = append(o.inForce, settingDoc{runfile.PriceSetting + model, []string{prices[model].String()}, prices[model].source})
	}
	for row := range flagRows(&o.options, forDoctor) {
		for _, source := range defaults {
			if row.defaults != 0 {
				if _, err := row.fill(set, source); err != nil {
					return err
				}
			}
		}
	}
	flags.setOptionOrigins(nil, nil)
	o.model.servers.hasDefaultURLs = flags.model.servers.hasDefaultURLs
	if len(o.names) == 0 {
		o.names, o.model.responder = flags.model.allNames(), flags.model.responder
	}
	return nil
}

// defaultFlags lists the flags that the environment and config.yaml can set.
func (o *doctorOptions) defaultFlags(context.Context) check {
	c := check{Status: fine, Detail: "no configuration directory", Settings: o.inForce}
	switch path := o.console.defaults.path; {
	case hasFlag(o.env.Args, "--no-config"):
		c.Detail = "ignored (--no-config)"
	case path != "":
		c.Detail = path + " and ONESHOT_* variables"
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			c.Detail = "ONESHOT_* variables; no " + path
		}
	}
	return c
}
