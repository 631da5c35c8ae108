package folder

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"infnet/harness/analyze"
	"infnet/harness/policy/deploy"
)

// deployments encodes every fitted policy, by file name.
func deployments(out *analyze.Output) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, b := range out.Datasets {
		list, err := b.Deployments(out.Result.Spec.AnswersHash)
		if err != nil {
			return nil, err
		}
		for _, d := range list {
			whole := policyName(b.Cascade.Name, b.Dataset.Name, d.Name)
			name := whole
			for n := 2; files[name+".toml"] != nil; n++ { // a+b and a-b give the same file name
				name = fmt.Sprintf("%s-%d", whole, n)
			}
			name += ".toml"
			if files[name], err = deploy.Encode(d.File); err != nil {
				return nil, fmt.Errorf("policy %s of cascade %s on dataset %s: %w", d.Name, b.Cascade.Name, b.Dataset.Name, err)
			}
		}
	}
	return files, nil
}

// policyName is the name of a policy's file, without its ending. A cascade's name joins those of its models, a pair's
// in a chain those of the chain's models too: where that is more than file systems hold, its middle is left out.
func policyName(cascade, dataset, policy string) string {
	const limit, kept = 200, 40 // file systems hold 255, some of which temporary files need
	cascade, dataset = fileName(cascade), fileName(dataset)
	if len(cascade)+len(dataset)+len(policy) > limit && len(cascade) > 2*kept {
		sum := sha256.Sum256([]byte(cascade))
		cascade = fmt.Sprintf("%s-%x-%s", cascade[:kept], sum[:4], cascade[len(cascade)-kept:])
	}
	return fmt.Sprintf("%s--%s--%s", cascade, dataset, policy)
}

// fileName turns a name into one that is safe in every file system.
func fileName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '.', r == '_':
			return r
		}
		return '-'
	}, name)
}
