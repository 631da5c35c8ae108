// Package encoder turns sentences into vectors in this process: a folder of a BERT, DistilBERT or
// MPNet sentence encoder as the Hugging Face hub lays it out in, vectors of length 1 out, with the
// Go toolchain alone. It owns those folders (shape, tokenizer, pooling, names of tensors) and the
// forward pass; tokens, files and arithmetic belong to the packages below runtime.
//
// It refuses what it would compute wrongly: other architectures, other
// pooling, prompts in front of texts, weights that do not fit the
// configuration.
//
// Its opinion: a text's vector has the same bits alone, in any batch, on any number of threads and
// any SIMD width. Texts are never padded, so nothing is masked and no time is wasted.
//
// Reimers and Gurevych, Sentence-BERT: Sentence Embeddings using Siamese
// BERT-Networks, 2019.
package encoder
