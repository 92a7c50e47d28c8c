// Command hello is the smallest program that the benchmarks compare with.
package main

import "os"

func main() { os.Stdout.WriteString("hello\n") }
