package subprocess

import (
	"io/fs"
	"os"
	"path/filepath"
)

// An Extent is how much of a file or folder programs may access.
type Extent int

// The extents.
const (
	Whole   Extent = iota // everything
	Partial               // a folder with something withheld below it
	Nothing
)

// excludeWithheldPaths returns the sandboxes for a program that starts now. Landlock grants whole folders and cannot exclude
// parts, so a folder with something withheld below it is replaced by its other entries. Entries created later are not
// granted.
func (c *Confinement) excludeWithheldPaths() []sandbox {
	if c.Withheld == nil {
		return c.resolved
	}
	out := make([]sandbox, len(c.resolved))
	for i, box := range c.resolved {
		box.Read, box.Write, box.NoWorkDir = c.accessibleParts(box.Read), c.accessibleParts(box.Write), true
		out[i] = box
	}
	return out
}

// accessibleParts returns the accessible parts of paths.
func (c *Confinement) accessibleParts(paths []base64Text) []base64Text {
	var out []base64Text
	for todo := paths; len(todo) > 0; {
		path := todo[len(todo)-1]
		todo = todo[: len(todo)-1 : len(todo)-1]
		switch c.Withheld(string(path)) {
		case Whole:
			out = append(out, path)
		case Partial:
			entries, _ := os.ReadDir(string(path)) // an unreadable folder grants nothing
			for _, e := range entries {
				if e.Type()&fs.ModeSymlink == 0 { // only the target of a link counts
					todo = append(todo, base64Text(filepath.Join(string(path), e.Name())))
				}
			}
		}
	}
	return out
}

// checkProgramWithheld refuses a program whose own file is withheld.
func (c *Confinement) checkProgramWithheld(path string) error {
	target, err := filepath.EvalSymlinks(path)
	if err == nil && c.Withheld != nil && c.Withheld(target) != Whole {
		return refusedf("a rule of the policy denies this file")
	}
	return nil
}
