package subprocess

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// eachDescendant calls f for each living descendant of this process, parents first, until f returns false. It calls
// f right after inspecting a process, because PIDs are reused.
func eachDescendant(f func(pid int) (more bool)) {
	type child struct{ pid, parent int }
	row, self := []child{{pid: os.Getpid()}}, os.Getpid()
	for i := 0; i < len(row); i++ {
		c := row[i]
		for _, pid := range childPIDs(c.pid) {
			row = append(row, child{pid, c.pid})
		}
		is := readProcessState(c.pid)
		if is.living && c.pid != self && (is.parent == c.parent || is.parent == self) && !f(c.pid) {
			return
		}
	}
}

// childPIDs lists the children of a process: those that each of its threads has started.
func childPIDs(process int) []int {
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

// A processState is the state of a process from /proc, zero if the process does not exist.
type processState struct {
	parent     int
	living     bool   // it has not ended
	startTicks uint64 // start time in clock ticks since boot
}

func readProcessState(pid int) (s processState) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	i := bytes.LastIndexByte(stat, ')') // after the name, which may contain anything
	if err != nil || i < 0 {
		return processState{}
	}
	words := strings.Fields(string(stat[i+1:])) // from the third of proc_pid_stat(5)
	if len(words) < 20 {
		return processState{}
	}
	s.living = words[0] != "Z" && words[0] != "X"
	s.parent, err = strconv.Atoi(words[1])
	if err == nil {
		s.startTicks, err = strconv.ParseUint(words[19], 10, 64)
	}
	if err != nil {
		return processState{}
	}
	return s
}
