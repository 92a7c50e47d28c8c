//go:build unix

package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A Process is a process as /proc describes it. Other systems than Linux are not
// supported.
type Process struct {
	ID, Parent, Group int
	State             string // one letter; Z is a process that has ended
	CPU               time.Duration
}

// clockTick is the unit of times in /proc: a hundredth of a second everywhere.
const clockTick = 10 * time.Millisecond

// AllProcesses lists all processes.
func AllProcesses() ([]Process, error) {
	files, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return nil, err
	}
	var all []Process
	for _, file := range files {
		stat, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended
		}
		p, err := parseStat(string(stat))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		all = append(all, p)
	}
	return all, nil
}

// parseStat parses a line of proc(5) stat. The second field is a name in parentheses that
// may contain anything, even parentheses and spaces.
func parseStat(line string) (Process, error) {
	end := strings.LastIndexByte(line, ')')
	id, _, _ := strings.Cut(line, " ")
	fields := strings.Fields(line[end+1:])
	if end < 0 || len(fields) < 13 {
		return Process{}, fmt.Errorf("not a process line: %q", line)
	}
	numbers := make([]int, 0, 5)
	for _, field := range []string{id, fields[1], fields[2], fields[11], fields[12]} {
		n, err := strconv.Atoi(field)
		if err != nil {
			return Process{}, err
		}
		numbers = append(numbers, n)
	}
	cpu := time.Duration(numbers[3]+numbers[4]) * clockTick
	return Process{ID: numbers[0], Parent: numbers[1], Group: numbers[2], State: fields[0], CPU: cpu}, nil
}

// runningInGroup returns the processes of a group that have not ended.
func runningInGroup(group int) ([]int, error) {
	all, err := AllProcesses()
	var ids []int
	for _, p := range all {
		if p.Group == group && p.State != "Z" {
			ids = append(ids, p.ID)
		}
	}
	return ids, err
}
