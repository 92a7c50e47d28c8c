package subprocess

import "path/filepath"

// Support is what this system has to confine programs with.
type Support struct {
	Landlock   int  // its version; 0: none
	Seccomp    bool // filters of system calls, of this processor
	Subreaper  bool
	NoNewPrivs bool
	Children   bool // whose process is whose child can be read
}

// leastLandlock is from which version on Landlock keeps files from being cut short, too.
const leastLandlock = 3

// Check says what this system cannot do of the confinement: a *[StartError], or nil. It is asked
// before a run: links in the paths of sandboxes are followed then, once and for all.
func (c *Confinement) Check() error {
	c.resolving.Do(c.resolve)
	return c.check(Supported())
}

func (c *Confinement) resolve() {
	for _, s := range c.Sandboxes {
		c.resolved = append(c.resolved, sandbox{Read: real(s.Read), Write: real(s.Write), Network: s.Network, Optional: s.Optional})
	}
}

// real returns where paths lead. One that leads nowhere stays as it is.
func real(paths []string) []exact {
	var all []exact
	for _, path := range paths {
		if target, err := filepath.EvalSymlinks(path); err == nil {
			path = target
		}
		all = append(all, exact(path))
	}
	return all
}
