package cmd

import (
	"errors"

	"github.com/spf13/pflag"
)

// onceVar defines a flag that must not be repeated: a second file would silently replace the first.
func onceVar(f *pflag.FlagSet, to *string, name, usage string) {
	f.Var(&onceValue{to: to}, name, usage)
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
