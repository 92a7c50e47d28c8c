// Package tooldefs contains the definitions of the tools shipped with oneshot.
// It is data only: package tool loads them and package executor implements them.
package tooldefs

import "embed"

// FS contains the definition files at its top level.
//
//go:embed *.yaml
var FS embed.FS
