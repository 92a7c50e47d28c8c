// Command oneshot runs an LLM agent once and prints one JSON document.
package main

import (
	"context"
	"os"

	"oneshot/cmd"
	"oneshot/pkg/subprocess"
)

func main() {
	subprocess.RunHelper()
	cmd.Harden()
	ctx, stop := cmd.Signals(context.Background())
	code := cmd.Main(ctx, cmd.OS())
	stop()
	os.Exit(code)
}
