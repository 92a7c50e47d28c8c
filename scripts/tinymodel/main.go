// Command tinymodel writes a language model that generates only given texts.
//
// The model is a real GGUF file of the llama architecture, small enough for a
// test: its layers do nothing, and its output matrix is a table of which token
// follows which. Together with the Modelfile beside it, it makes a real model
// server render a real template, stream real tokens and enforce real grammars,
// with answers that are known in advance.
//
// It is a test tool and no product: it has no training and no quantisation.
//
//	tinymodel -replies replies.txtar -o DIR
//
// writes DIR/model.gguf, DIR/Modelfile and, for a model that calls tools,
// DIR/Modelfile.tools. The replies are described at [ParseReplies], and how one
// is picked at [Modelfile].
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

func main() {
	if err := run(os.Args[1:], os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "tinymodel:", err)
		os.Exit(1)
	}
}

func run(args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("tinymodel", flag.ContinueOnError)
	flags.SetOutput(stderr)
	file := flags.String("replies", "", "txtar `file` with the replies")
	dir := flags.String("o", ".", "`folder` to write model.gguf and the Modelfiles to")
	context := flags.Uint("context", 4096, "context length in `tokens`")
	if err := flags.Parse(args); err != nil {
		return err
	}
	src, err := os.ReadFile(*file)
	if err != nil {
		return fmt.Errorf("replies: %w", err)
	}
	replies, err := ParseReplies(string(src))
	if err != nil {
		return fmt.Errorf("%s: %w", *file, err)
	}
	vocabulary, err := NewVocabulary(replies)
	if err != nil {
		return fmt.Errorf("%s: %w", *file, err)
	}
	if err := writeFiles(*dir, vocabulary, uint32(*context)); err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "%s: %d replies, %d tokens\n", *dir, len(replies), len(vocabulary.Tokens))
	return err
}

// writeFiles writes the model and its Modelfiles into dir, which is made.
func writeFiles(dir string, v *Vocabulary, context uint32) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := writeModel(filepath.Join(dir, "model.gguf"), v, context); err != nil {
		return err
	}
	for name, tools := range map[string]bool{"Modelfile": false, "Modelfile.tools": true} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(Modelfile("model.gguf", context, tools)), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func writeModel(path string, v *Vocabulary, context uint32) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if _, err := NewModel(v, context).WriteTo(f); err != nil {
		f.Close() // the first error counts
		return fmt.Errorf("%s: %w", path, err)
	}
	return f.Close()
}
