package cmd

import (
	"io"
	"runtime/debug"

	"oneshot/pkg/diag"
	"oneshot/pkg/diag/report"
)

// reportFormats are the values of --format of the commands that report findings.
var reportFormats = []string{"text", "json", "jsonl", "sarif", "github", "junit"}

// reportFlag is the help of --format of these commands.
const reportFlag = "text; json or jsonl (a line for each file); or for other programs sarif, github (annotations) or junit"

// printForeign writes findings in the format of another program. The findings
// stand in the order of the files.
func printForeign(w io.Writer, format string, files []file, findings [][]diag.Finding) error {
	found := make([]report.File, len(files))
	for i, f := range files {
		found[i] = report.File{Name: f.name, Text: f.text, Findings: findings[i]}
	}
	if format == "github" {
		return report.GitHub(w, found)
	}
	info, _ := debug.ReadBuildInfo()
	version := newBuild(version, info).Version
	if format == "junit" {
		return report.JUnit(w, found, version)
	}
	return report.SARIF(w, found, version)
}
