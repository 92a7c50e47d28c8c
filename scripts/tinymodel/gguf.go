package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
)

// A GGUF is a model file: metadata and tensors of 32-bit floats, in the order in
// which they were added. The format is that of ggml, version 3.
type GGUF struct {
	metadata []entry
	tensors  []tensor
}

type entry struct {
	key   string
	value any
}

type tensor struct {
	name string
	dims []int // the first one is the length of a row
	fill func(r int, row []float32)
}

// alignment is where tensor data may begin: GGUF's default.
const alignment = 32

// Types of values, by GGUF's numbers.
const (
	typeUint32  uint32 = 4
	typeInt32   uint32 = 5
	typeFloat32 uint32 = 6
	typeBool    uint32 = 7
	typeString  uint32 = 8
	typeArray   uint32 = 9
)

// Set adds a metadata value: uint32, float32, bool, string, []string or []int32.
func (g *GGUF) Set(key string, value any) {
	g.metadata = append(g.metadata, entry{key, value})
}

// AddTensor adds a tensor with rows of dims[0] numbers. When the file is
// written, fill is called for each row in order and sets all of it.
func (g *GGUF) AddTensor(name string, dims []int, fill func(r int, row []float32)) {
	g.tensors = append(g.tensors, tensor{name, dims, fill})
}

func (g *GGUF) addVector(name string, size int, at func(i int) float32) {
	g.AddTensor(name, []int{size}, func(_ int, row []float32) {
		for i := range row {
			row[i] = at(i)
		}
	})
}

// WriteTo writes the whole file.
func (g *GGUF) WriteTo(w io.Writer) (int64, error) {
	head, err := g.header()
	if err != nil {
		return 0, err
	}
	out := &countingWriter{w: bufio.NewWriterSize(w, 1<<20)}
	out.write(head)
	for _, t := range g.tensors {
		t.writeTo(out)
	}
	if out.err == nil {
		out.err = out.w.Flush()
	}
	return out.n, out.err
}

// header returns everything before the tensor data, padded.
func (g *GGUF) header() ([]byte, error) {
	b := []byte("GGUF")
	b = binary.LittleEndian.AppendUint32(b, 3)
	b = binary.LittleEndian.AppendUint64(b, uint64(len(g.tensors)))
	b = binary.LittleEndian.AppendUint64(b, uint64(len(g.metadata)))
	for _, e := range g.metadata {
		var err error
		b, err = appendValue(appendString(b, e.key), e.value)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.key, err)
		}
	}
	offset := 0
	for _, t := range g.tensors {
		b = t.appendInfo(b, offset)
		offset += alignUp(t.sizeBytes())
	}
	return append(b, make([]byte, alignUp(len(b))-len(b))...), nil
}

func appendString(b []byte, s string) []byte {
	return append(binary.LittleEndian.AppendUint64(b, uint64(len(s))), s...)
}

func appendValue(b []byte, value any) ([]byte, error) {
	switch v := value.(type) {
	case uint32:
		return binary.Append(b, binary.LittleEndian, []uint32{typeUint32, v})
	case float32:
		b = binary.LittleEndian.AppendUint32(b, typeFloat32)
		return binary.Append(b, binary.LittleEndian, v)
	case bool:
		b = binary.LittleEndian.AppendUint32(b, typeBool)
		return binary.Append(b, binary.LittleEndian, v)
	case string:
		return appendString(binary.LittleEndian.AppendUint32(b, typeString), v), nil
	case []string:
		b = appendArray(b, typeString, len(v))
		for _, s := range v {
			b = appendString(b, s)
		}
		return b, nil
	case []int32:
		return binary.Append(appendArray(b, typeInt32, len(v)), binary.LittleEndian, v)
	}
	return nil, fmt.Errorf("metadata cannot hold a %T", value)
}

func appendArray(b []byte, elem uint32, size int) []byte {
	b = binary.LittleEndian.AppendUint32(b, typeArray)
	b = binary.LittleEndian.AppendUint32(b, elem)
	return binary.LittleEndian.AppendUint64(b, uint64(size))
}

func (t tensor) appendInfo(b []byte, offset int) []byte {
	b = appendString(b, t.name)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(t.dims)))
	for _, d := range t.dims {
		b = binary.LittleEndian.AppendUint64(b, uint64(d))
	}
	b = binary.LittleEndian.AppendUint32(b, 0) // 32-bit floats
	return binary.LittleEndian.AppendUint64(b, uint64(offset))
}

func (t tensor) rows() int {
	rows := 1
	for _, d := range t.dims[1:] {
		rows *= d
	}
	return rows
}

func (t tensor) sizeBytes() int { return 4 * t.dims[0] * t.rows() }

func (t tensor) writeTo(out *countingWriter) {
	row := make([]float32, t.dims[0])
	var b bytes.Buffer
	for r := range t.rows() {
		t.fill(r, row)
		b.Reset()
		if err := binary.Write(&b, binary.LittleEndian, row); err != nil {
			out.err = err
			return
		}
		out.write(b.Bytes())
	}
	out.write(make([]byte, alignUp(t.sizeBytes())-t.sizeBytes()))
}

func alignUp(n int) int { return (n + alignment - 1) / alignment * alignment }

// A countingWriter keeps the first error and counts the bytes before it.
type countingWriter struct {
	w   *bufio.Writer
	n   int64
	err error
}

func (c *countingWriter) write(p []byte) {
	if c.err != nil {
		return
	}
	var n int
	n, c.err = c.w.Write(p)
	c.n += int64(n)
}
