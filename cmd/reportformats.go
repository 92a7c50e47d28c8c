package cmd

import (
	"io"
	"runtime/debug"

	"oneshot/pkg/diag/report"
)

// reportFormats are the values of --format of the commands that report findings.
var reportFormats = []string{"text", "json", "jsonl", "sarif", "github", "junit"}

// reportFlag is the help of --format of these commands.
const reportFlag = "print `FORMAT`: text, json, jsonl (a line per file or record), sarif, github (annotations) or junit"

// newCollector returns a collector for a format with one document for all files, or nil.
func newCollector(format string) report.Collector {
	info, _ := debug.ReadBuildInfo()
	version := newBuild(version, info).Version
	switch format {
	case "junit":
		return report.NewJUnit(version)
	case "sarif":
		return report.NewSARIF(version)
	}
	return nil
}

// printExternal writes findings in the format of another tool.
func printExternal(w io.Writer, format string, files []report.File) error {
	later, add := newCollector(format), report.GitHub
	if later != nil {
		add = later.Add
	}
	for _, f := range files {
		if err := add(w, f); err != nil {
			return err
		}
	}
	if later == nil {
		return nil
	}
	return later.End(w)
}
