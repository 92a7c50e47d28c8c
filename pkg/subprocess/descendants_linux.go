package subprocess

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
		is := look(c.pid)
		if is.living && c.pid != self && (is.parent == c.parent || is.parent == self) && !f(c.pid) {
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

// A state is what /proc tells of a process. The zero value is that of one that is not there.
type state struct {
	parent int
	living bool   // it has not ended, be it buried or not
	born   uint64 // when it was started, in ticks of the clock since the system was
}

func look(pid int) (s state) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	i := bytes.LastIndexByte(stat, ')') // behind the name, which may be anything
	if err != nil || i < 0 {
		return state{}
	}
	words := strings.Fields(string(stat[i+1:])) // from the third of proc_pid_stat(5)
	if len(words) < 20 {
		return state{}
	}
	s.living = words[0] != "Z" && words[0] != "X"
	s.parent, err = strconv.Atoi(words[1])
	if err == nil {
		s.born, err = strconv.ParseUint(words[19], 10, 64)
	}
	if err != nil {
		return state{}
	}
	return s
}
