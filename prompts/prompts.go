// Package prompts embeds the prompt texts for models, the run that the built-in demo model replays, and the files of that run.
// Each text is one file; package prompt replaces names in braces, such as {{functions}}.
package prompts

import "embed"

// FS holds the texts and the recorded run at its top level, and the files of the run in demo.
//
//go:embed *.md demo.jsonl demo
var FS embed.FS
