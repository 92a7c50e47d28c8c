package cmd

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"oneshot/pkg/diag/report"
)

// version is set when a release is linked: -ldflags '-X oneshot/cmd.version=…'.
// Otherwise the version is that of the build info.
var version string

// A build identifies this program.
type build struct {
	Version string `json:"version"`
	Commit  string `json:"commit,omitempty"` // with "+dirty" if files were changed
	Go      string `json:"go"`
}

func newVersion(t *console) *cobra.Command {
	format := "text"
	c := &cobra.Command{
		Use:     "version",
		Short:   "Print the version of the program",
		Example: "  oneshot version\n  oneshot version --format json",
		RunE: func(*cobra.Command, []string) error {
			if err := checkFormat(format, "text", "json"); err != nil {
				return err
			}
			return printVersion(t, format)
		},
	}
	c.Flags().StringVar(&format, "format", format, "print `FORMAT`: text or json")
	return c
}

// printVersion prints the version as text or json.
func printVersion(t *console, format string) error {
	info, _ := debug.ReadBuildInfo()
	b := newBuild(version, info)
	if format == "json" {
		return report.JSON(t.out, b)
	}
	_, err := fmt.Fprintln(t.out, b)
	return err
}

// newBuild combines the linked version and the build info. Either may be absent.
func newBuild(linked string, info *debug.BuildInfo) build {
	b := build{Version: linked, Go: runtime.Version()}
	if info == nil {
		info = &debug.BuildInfo{}
	}
	if b.Version == "" {
		b.Version = info.Main.Version
	}
	if b.Version == "" || b.Version == "(devel)" {
		b.Version = "dev"
	}
	dirty := ""
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			b.Commit = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "+dirty"
		}
	}
	if b.Commit != "" {
		b.Commit += dirty
	}
	return b
}

// String returns the version on one line.
func (b build) String() string {
	if b.Commit == "" {
		return fmt.Sprintf("oneshot %s (%s)", b.Version, b.Go)
	}
	return fmt.Sprintf("oneshot %s (%s, %s)", b.Version, b.Commit, b.Go)
}
