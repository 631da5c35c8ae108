package folder

import (
	"infnet/harness/analyze"
	"infnet/harness/policy/deploy"
)

// deployments encodes every fitted policy: DATASET/POLICY, and where there are several cascades CASCADE/DATASET/POLICY.
// It returns how many there are.
func deployments(out *analyze.Output) (text []byte, count int, err error) {
	policies := map[string]deploy.File{}
	for _, b := range out.Datasets {
		list, err := b.Deployments(out.Result.Spec.AnswersHash)
		if err != nil {
			return nil, 0, err
		}
		for _, d := range list {
			name := b.Dataset.Name + "/" + d.Name
			if len(out.Result.Cascades) > 1 {
				name = b.Cascade.Name + "/" + name
			}
			policies[name] = d.File
		}
	}
	if len(policies) == 0 {
		return nil, 0, nil
	}
	text, err = deploy.Encode(policies)
	return text, len(policies), err
}
