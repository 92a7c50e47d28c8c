// Package prompts embeds the texts that a model is sent, and the run that the
// built-in demo model plays. Each text is one file; a
// place in braces, such as {{functions}}, is filled in by package prompt.
package prompts

import "embed"

// FS holds the texts.
//
//go:embed *.md demo.jsonl
var FS embed.FS
