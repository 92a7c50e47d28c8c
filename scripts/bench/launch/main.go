//go:build unix

// Command launch runs a program and prints its cost as JSON: {"wall_ns":…,
// "rss_bytes":…,"cpu_ns":…}. The stdout of the program is dropped.
//
// It exists because it is small: the kernel counts the memory that a process had
// before it became another program to that program's peak, so a process that starts a
// program must be smaller than it.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"time"
)

func main() {
	if err := launch(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, "launch:", err)
		os.Exit(1)
	}
}

func launch(program string, args []string) error {
	cmd := exec.Command(program, args...)
	cmd.Stderr = os.Stderr
	start := time.Now()
	err := cmd.Run()
	wall := time.Since(start)
	if err != nil {
		return err
	}
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return fmt.Errorf("no resource usage on %s", runtime.GOOS)
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]int64{
		"wall_ns": int64(wall), "rss_bytes": int64(usage.Maxrss) * maxrssUnit(), "cpu_ns": usage.Utime.Nano() + usage.Stime.Nano(),
	})
}

// maxrssUnit returns the unit in which getrusage counts memory: bytes on macOS, kilobytes
// elsewhere.
func maxrssUnit() int64 {
	if runtime.GOOS == "darwin" {
		return 1
	}
	return 1024
}
