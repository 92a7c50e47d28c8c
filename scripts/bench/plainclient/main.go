// Command plainclient posts files to a URL, one by one, and reads the
// answers to their end: the cost of a run without anything that oneshot
// does.
//
//	plainclient URL FILE...
package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
)

func main() {
	for _, file := range os.Args[2:] {
		if err := post(os.Args[1], file); err != nil {
			fmt.Fprintln(os.Stderr, "plainclient:", err)
			os.Exit(1)
		}
	}
}

func post(url, file string) error {
	body, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	res, err := http.Post(url, "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", file, res.Status)
	}
	_, err = io.Copy(io.Discard, res.Body)
	return err
}
