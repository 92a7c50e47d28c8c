//go:build unix

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// programs are the paths of the measured programs.
type programs struct {
	oneshot, hello, plain string
	launcher              string // starts and measures the others
	jsonrepair            string // "" if it is not available
	modules               string // the folder of npm's packages; "" if there are none
}

// build builds the programs from source, all with the flags of a release.
func (b *Bench) build(ctx context.Context) (programs, error) {
	p := programs{
		oneshot:  filepath.Join(b.Dir, "oneshot"),
		hello:    filepath.Join(b.Dir, "hello"),
		plain:    filepath.Join(b.Dir, "plainclient"),
		launcher: filepath.Join(b.Dir, "launch"),
	}
	for path, pkg := range map[string]string{
		p.oneshot: "oneshot", p.hello: "./bench/hello", p.plain: "./bench/plainclient", p.launcher: "./bench/launch",
	} {
		b.logProgress("building %s", pkg)
		cmd := exec.CommandContext(ctx, "go", "build", "-C", "scripts", "-trimpath", "-ldflags=-s -w", "-o", path, pkg)
		if out, err := cmd.CombinedOutput(); err != nil {
			return p, fmt.Errorf("%s: %w\n%s", pkg, err, out)
		}
	}
	if b.Binary != "" {
		p.oneshot = b.Binary
	}
	if p.modules = b.installModules(ctx); p.modules != "" {
		p.jsonrepair = filepath.Join(p.modules, ".bin", "jsonrepair")
	}
	return p, nil
}

// installModules installs the npm packages for comparison, and returns their folder, or
// logs why there will be no comparison.
func (b *Bench) installModules(ctx context.Context) string {
	if !b.Peers {
		b.logProgress("no comparison with jsonrepair and ajv: -peers=false")
		return ""
	}
	npm, err := exec.LookPath("npm")
	if err != nil {
		b.logProgress("no comparison with jsonrepair and ajv: %v", err)
		return ""
	}
	b.logProgress("installing jsonrepair and ajv")
	prefix := filepath.Join(b.Dir, "npm")
	out, err := exec.CommandContext(ctx, npm, "install", "--silent", "--no-fund", "--no-audit", "--prefix", prefix, "jsonrepair", "ajv").CombinedOutput()
	if err != nil {
		b.logProgress("no comparison with jsonrepair and ajv: npm: %v: %s", err, out)
		return ""
	}
	return filepath.Join(prefix, "node_modules")
}

// measureSizes measures the size of the binary.
func (b *Bench) measureSizes(_ context.Context, p programs) ([]Row, error) {
	const megabyte = 1 << 20
	var size [2]float64
	for i, path := range []string{p.oneshot, p.hello} {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		size[i] = float64(info.Size()) / megabyte
	}
	return []Row{{ID: "size", What: "binary", Value: size[0], Unit: "MB", Against: "Go hello world", Base: size[1]}}, nil
}
