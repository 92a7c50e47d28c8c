// Package wire decodes the response bodies of providers. It has one decoder for each format, for
// bodies that are arriving and for captured ones.
//
// It knows bytes and JSON. It does not open connections, retry, or look for calls in text.
package wire
