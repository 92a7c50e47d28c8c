package subprocess

import "path/filepath"

// Support lists the confinement features of this system.
type Support struct {
	Landlock   int  // ABI version; 0: none
	Seccomp    bool // seccomp filters on this architecture
	Subreaper  bool
	NoNewPrivs bool
	Children   bool // /proc lists the children of a thread
}

// minLandlock is the first Landlock version that restricts truncation.
const minLandlock = 3

// Check returns a *[StartError] if this system does not support the confinement. Call it before a run: it resolves the
// links in sandbox paths once and for all.
func (c *Confinement) Check() error {
	c.resolving.Do(c.resolve)
	return c.check(Supported())
}

func (c *Confinement) resolve() {
	for _, s := range c.Sandboxes {
		c.resolved = append(c.resolved, sandbox{Read: resolveLinks(s.Read), Write: resolveLinks(s.Write), Network: s.Network, Optional: s.Optional})
	}
}

// resolveLinks resolves the links in paths. Missing paths stay unchanged.
func resolveLinks(paths []string) []base64Text {
	var all []base64Text
	for _, path := range paths {
		if target, err := filepath.EvalSymlinks(path); err == nil {
			path = target
		}
		all = append(all, base64Text(path))
	}
	return all
}
