// Command plainclient posts files to a URL, one by one, and reads the
// answers to their end: the cost of a run without anything that oneshot
// does. It can do so several times, and several times at once.
//
//	plainclient [-runs N] [-concurrency N] URL FILE...
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"sync"
)

func main() {
	runs := flag.Int("runs", 1, "how often the files are posted")
	workers := flag.Int("concurrency", 1, "how many runs are under way at a time")
	flag.Parse()
	if err := postAll(*runs, *workers, flag.Arg(0), flag.Args()[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "plainclient:", err)
		os.Exit(1)
	}
}

// postAll makes runs, and returns their errors.
func postAll(runs, workers int, url string, files []string) error {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = workers
	client := &http.Client{Transport: transport}
	todo := make(chan struct{}, runs)
	for range runs {
		todo <- struct{}{}
	}
	close(todo)
	failed := make([]error, workers)
	var all sync.WaitGroup
	for i := range workers {
		all.Go(func() {
			for range todo {
				for _, file := range files {
					failed[i] = errors.Join(failed[i], post(client, url, file))
				}
			}
		})
	}
	all.Wait()
	return errors.Join(failed...)
}

func post(client *http.Client, url, file string) error {
	body, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	res, err := client.Post(url, "application/json", bytes.NewReader(body))
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
