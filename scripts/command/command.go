// Package command is shared by the programs for developers.
package command

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
)

// Main runs a program until it has finished or a signal ends its context. After an error it exits with 1.
func Main(name string, run func(ctx context.Context, args []string, stdout, stderr io.Writer) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", name, err)
		os.Exit(1)
	}
}

// IDs returns the IDs of a list, with commas between them.
func IDs[T any](all []T, id func(T) string) string {
	var ids []string
	for _, one := range all {
		ids = append(ids, id(one))
	}
	return strings.Join(ids, ",")
}

// Choose returns the elements with the IDs in a text with commas between them, or all if it is empty.
func Choose[T any](noun string, all []T, id func(T) string, ids string) ([]T, error) {
	if ids == "" {
		return all, nil
	}
	var some []T
	for want := range strings.SplitSeq(ids, ",") {
		i := slices.IndexFunc(all, func(one T) bool { return id(one) == want })
		if i < 0 {
			return nil, fmt.Errorf("there is no %s %q, only %s", noun, want, IDs(all, id))
		}
		some = append(some, all[i])
	}
	return some, nil
}
