package folder

import (
	"infnet/harness/analyze"
	"infnet/harness/policy/deploy"
	"infnet/harness/result"
)

// PolicyName is the name of a fitted policy among those of a run: DATASET/POLICY, and where there are several cascades
// CASCADE/DATASET/POLICY.
func PolicyName(r *result.Results, cascade, dataset, policy string) string {
	if len(r.Cascades) > 1 {
		return cascade + "/" + dataset + "/" + policy
	}
	return dataset + "/" + policy
}

// deployments encodes every fitted policy, and returns how many there are.
func deployments(out *analyze.Output) (text []byte, count int, err error) {
	policies := map[string]deploy.File{}
	for _, b := range out.Datasets {
		list, err := b.Deployments(out.Result.Spec.AnswersHash)
		if err != nil {
			return nil, 0, err
		}
		for _, d := range list {
			policies[PolicyName(out.Result, b.Records.Cascade.Name, b.Records.Dataset.Name, d.Name)] = d.File
		}
	}
	if len(policies) == 0 {
		return nil, 0, nil
	}
	text, err = deploy.Encode(policies)
	return text, len(policies), err
}
