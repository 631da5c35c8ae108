package page

import "infnet/reports/page/drill"

// recordBlocks are the records behind the numbers: all of them, or where they are served.
func recordBlocks(in Input) ([]Block, error) {
	if in.Stream != "" {
		return blocks(in.Index.Streamed(in.Stream))
	}
	if in.Records == nil {
		return nil, nil
	}
	set, err := drill.Collect(in.Results, in.Records, in.Texts)
	if err != nil {
		return nil, err
	}
	return blocks(set.Blocks())
}

func blocks(made []drill.Block, err error) ([]Block, error) {
	out := make([]Block, len(made))
	for i, b := range made {
		out[i] = Block(b)
	}
	return out, err
}
