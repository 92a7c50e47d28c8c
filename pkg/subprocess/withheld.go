package subprocess

import (
	"io/fs"
	"os"
	"path/filepath"
)

// An Extent is how much of a file or folder programs may reach.
type Extent int

// The extents.
const (
	Whole   Extent = iota // all that is there
	Partial               // of a folder some: something below it is withheld
	Nothing
)

// granted returns the sandboxes as they are for a program that starts now. A kernel grants folders with all that is
// below them and takes nothing back, so that of a folder with something withheld below it the entries beside the way
// there are granted. What arises there later is not.
func (c *Confinement) granted() []sandbox {
	if c.Withheld == nil {
		return c.resolved
	}
	out := make([]sandbox, len(c.resolved))
	for i, box := range c.resolved {
		box.Read, box.Write, box.Apart = c.beside(box.Read), c.beside(box.Write), true
		out[i] = box
	}
	return out
}

// beside returns what programs may reach of some paths.
func (c *Confinement) beside(paths []exact) []exact {
	var out []exact
	for todo := paths; len(todo) > 0; {
		path := todo[len(todo)-1]
		todo = todo[: len(todo)-1 : len(todo)-1]
		switch c.Withheld(string(path)) {
		case Whole:
			out = append(out, path)
		case Partial:
			entries, _ := os.ReadDir(string(path)) // of a folder that cannot be listed nothing is granted
			for _, e := range entries {
				if e.Type()&fs.ModeSymlink == 0 { // where it leads counts
					todo = append(todo, exact(filepath.Join(string(path), e.Name())))
				}
			}
		}
	}
	return out
}

// reachable refuses a program whose own file is withheld.
func (c *Confinement) reachable(path string) error {
	target, err := filepath.EvalSymlinks(path)
	if err == nil && c.Withheld != nil && c.Withheld(target) != Whole {
		return refusedf("a rule of the policy denies this file")
	}
	return nil
}
