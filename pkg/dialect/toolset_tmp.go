package dialect

type Toolset map[string]*Shape
type Shape struct{}
