package leading

// number is what a factor may be made of. Products are of float64.
type number interface{ float32 | float64 }

// view is a matrix in memory that may be seen transposed.
type view[T number] struct {
	data       []T
	rows, cols int
	down, over int // from an element to the one below and to the one on its right
}

func byRows[T number](data []T, rows, cols int) view[T] { return view[T]{data, rows, cols, cols, 1} }

func (v view[T]) transposed() view[T] { return view[T]{v.data, v.cols, v.rows, v.over, v.down} }

// part is the view from row i and column j on.
func (v view[T]) part(i, j, rows, cols int) view[T] {
	return view[T]{v.data[i*v.down+j*v.over:], rows, cols, v.down, v.over}
}

// A block of deep rows and wide columns of the right factor stays in the second
// cache, two panels of it in the first.
const (
	deep  = 128
	wide  = 32 // panels
	panel = 8  // columns
)

// pack copies the rows from first on of v, deep at most, in panels of 8 columns,
// each row of a panel side by side. Columns that v does not have are 0.
func pack[T number](dst []float64, v view[T], first int) []float64 {
	depth := min(deep, v.rows-first)
	panels := (v.cols + panel - 1) / panel
	if cap(dst) < panels*depth*panel {
		dst = make([]float64, panels*depth*panel)
	}
	dst = dst[:panels*depth*panel]
	for p := range panels {
		to := dst[p*depth*panel:][:depth*panel]
		width := min(panel, v.cols-p*panel)
		if width < panel {
			clear(to)
		}
		from := v.data[first*v.down+p*panel*v.over:]
		for l := range depth {
			if at := l * v.down; width == panel && v.over == 1 {
				row := (*[panel]float64)(to[l*panel:])
				for j, x := range (*[panel]T)(from[at:]) {
					row[j] = float64(x)
				}
			} else {
				for j := range width {
					to[l*panel+j] = float64(from[at+j*v.over])
				}
			}
		}
	}
	return dst
}

// multiplier keeps its memory from product to product.
type multiplier struct{ left, right []float64 }

// add adds factor·a·b to c, whose rows lie one after the other. Every element's
// sum over deep columns of a at a time is added in their order.
func add[A, B number](m *multiplier, c view[float64], factor float64, a view[A], b view[B]) {
	for first := 0; first < b.rows; first += deep {
		m.left = pack(m.left, a.transposed(), first)
		m.right = pack(m.right, b, first)
		blocks(c, factor, m.left, m.right, min(deep, b.rows-first), false)
	}
}

// gram returns the upper triangle of aᵀ·a.
func gram[T number](a view[T]) []float64 {
	out := make([]float64, a.cols*a.cols)
	var packed []float64
	for first := 0; first < a.rows; first += deep {
		packed = pack(packed, a, first)
		blocks(byRows(out, a.cols, a.cols), 1, packed, packed, min(deep, a.rows-first), true)
	}
	return out
}

// blocks adds the product of packed factors to c, or to its upper triangle.
func blocks(c view[float64], factor float64, left, right []float64, depth int, upper bool) {
	size := depth * panel
	for block := 0; block*size < len(right); block += wide {
		end := min(block+wide, len(right)/size)
		for i := 0; i*size < len(left) && !(upper && i >= end); i++ {
			from := block
			if upper {
				from = max(block, i)
			}
			for j := from; j < end; j++ {
				at(c, factor, [2]int{i, j}, left[i*size:][:size], right[j*size:][:size])
			}
		}
	}
}

// at adds factor times the product of two panels to their tile of c.
func at(c view[float64], factor float64, place [2]int, a, b []float64) {
	i, j := place[0]*panel, place[1]*panel
	height, width := min(panel, c.rows-i), min(panel, c.cols-j)
	to := c.data[i*c.down+j:]
	if height == panel && width == panel {
		tile(to, c.down, factor, a, b)
		return
	}
	var edge [panel * panel]float64
	tile(edge[:], panel, 1, a, b)
	for r := range height {
		row := to[r*c.down:][:width]
		for l, v := range edge[r*panel:][:width] {
			row[l] += float64(factor * v)
		}
	}
}

// tilePortable adds factor times the sum over l of the outer products of row l of
// two panels, added one after the other from l = 0, to 8 rows of 8 numbers of to,
// which begin stride numbers after each other.
func tilePortable(to []float64, stride int, factor float64, a, b []float64) {
	var product [panel * panel]float64
	for len(a) >= panel && len(b) >= panel {
		x, y := (*[panel]float64)(a), (*[panel]float64)(b)
		for i, v := range x {
			row := (*[panel]float64)(product[i*panel:])
			for j, w := range y {
				row[j] += float64(v * w)
			}
		}
		a, b = a[panel:], b[panel:]
	}
	for i := range panel {
		row := (*[panel]float64)(to[i*stride:])
		for j, v := range product[i*panel:][:panel] {
			row[j] += float64(factor * v)
		}
	}
}

// Gram returns the upper triangle of aᵀ·a, cols×cols, for a matrix dense by rows.
func Gram(a []float32, rows, cols int) []float64 { return gram(byRows(a, rows, cols)) }

// OuterGram returns the upper triangle of a·aᵀ, rows×rows.
func OuterGram(a []float32, rows, cols int) []float64 {
	return gram(byRows(a, rows, cols).transposed())
}

// MulTransposed returns a·bᵀ, rows×others: the scalar products of the rows of two
// matrices of cols columns.
func MulTransposed(a []float64, rows int, b []float32, others, cols int) []float64 {
	var m multiplier
	out := make([]float64, rows*others)
	add(&m, byRows(out, rows, others), 1, byRows(a, rows, cols), byRows(b, others, cols).transposed())
	return out
}

// Mul returns a·b, rows×cols, for a of rows×inner.
func Mul(a []float64, rows, inner int, b []float32, cols int) []float64 {
	var m multiplier
	out := make([]float64, rows*cols)
	add(&m, byRows(out, rows, cols), 1, byRows(a, rows, inner), byRows(b, inner, cols))
	return out
}
