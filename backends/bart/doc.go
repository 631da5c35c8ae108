// Package bart scores pairs of texts with a sequence-to-sequence network of the
// BART layout in this process, as BARTScore does: how likely is the target, token
// by token, once the encoder has read the source. It reads the hub's folder:
// config.json, *.safetensors, tokenizer.json.
//
// It generates nothing and embeds nothing. Its opinion: a score depends on its pair alone, bit for
// bit, in any batch and on any number of threads.
//
// Lewis et al., BART: Denoising Sequence-to-Sequence Pre-training for Natural
// Language Generation, Translation, and Comprehension, 2020; Yuan, Neubig and
// Liu, BARTScore, 2021.
package bart
