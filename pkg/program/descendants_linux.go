package program

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// descendants calls f with each living process that has come of this one, parents first, until f
// has had enough. It is called at once when the process has been looked at: a number may soon be
// somebody else's.
func descendants(f func(pid int) (more bool)) {
	type child struct{ pid, parent int }
	row, self := []child{{pid: os.Getpid()}}, os.Getpid()
	for i := 0; i < len(row); i++ {
		c := row[i]
		for _, pid := range children(c.pid) {
			row = append(row, child{pid, c.pid})
		}
		parent, living := look(c.pid)
		if living && c.pid != self && (parent == c.parent || parent == self) && !f(c.pid) {
			return
		}
	}
}

// children lists the children of a process: of each of its threads those that it has started.
func children(process int) []int {
	var found []int
	dir := fmt.Sprintf("/proc/%d/task/", process)
	threads, _ := os.ReadDir(dir) // it may have ended
	for _, t := range threads {
		list, _ := os.ReadFile(dir + t.Name() + "/children")
		for _, word := range strings.Fields(string(list)) {
			if pid, err := strconv.Atoi(word); err == nil {
				found = append(found, pid)
			}
		}
	}
	return found
}

// look reads whose child a process is, and whether it has not ended yet, be it buried or not.
func look(pid int) (parent int, living bool) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	i := bytes.LastIndexByte(stat, ')') // behind the name, which may be anything
	if err != nil || i < 0 {
		return 0, false
	}
	var state string
	n, _ := fmt.Sscan(string(stat[i+1:]), &state, &parent)
	return parent, n == 2 && state != "Z" && state != "X"
}
