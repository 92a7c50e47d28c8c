//go:build unix

package main

import (
	"database/sql"
	"os"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite"
)

// inserts is the number of consecutive inserts, each durable before the next.
const inserts = 100

// insert returns the time of one durable insert of the text of a file.
func (q Request) insert() Reply {
	took, err := timeInserts(q.File)
	if err != nil {
		return Reply{Error: err.Error()}
	}
	return Reply{Time: took / inserts}
}

func timeInserts(file string) (time.Duration, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	db, err := sql.Open("sqlite", filepath.Join(filepath.Dir(file), "peer.db"))
	if err != nil {
		return 0, err
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	for _, statement := range []string{"PRAGMA journal_mode=WAL", "PRAGMA synchronous=FULL", "CREATE TABLE IF NOT EXISTS records (id INTEGER PRIMARY KEY, line TEXT)"} {
		if _, err := db.Exec(statement); err != nil {
			return 0, err
		}
	}
	insert, err := db.Prepare("INSERT INTO records (line) VALUES (?)")
	if err != nil {
		return 0, err
	}
	defer insert.Close()
	start := time.Now()
	for range inserts {
		if _, err := insert.Exec(string(text)); err != nil {
			return 0, err
		}
	}
	return time.Since(start), nil
}
