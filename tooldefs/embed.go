// Package tooldefs holds the definitions of the tools that come with oneshot.
// It is data: the loader is in package tool, the implementations are in package
// runner.
package tooldefs

import "embed"

// FS holds the definition files, at its top.
//
//go:embed *.yaml
var FS embed.FS
