// Package prompts embeds the prompt texts for models, and the run that the built-in demo model replays. Each text is one file;
// package prompt replaces names in braces, such as {{functions}}.
package prompts

import "embed"

// FS holds the texts.
//
//go:embed *.md demo.jsonl
var FS embed.FS
