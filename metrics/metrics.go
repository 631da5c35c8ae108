// Package metrics scores answers: classification (accuracy, F1), text against
// references (ROUGE, BLEU, chrF, exact match, token F1) and vectors (cosine);
// and confidences by how well they rank and state what is right (AUROC, Brier,
// ECE). It owns the definitions, each the one its field uses: scikit-learn's F1,
// Google's ROUGE with NLTK's Porter stemmer, SQuAD's normalisation, sacreBLEU's
// BLEU and chrF; the tests hold them to those tools' own numbers.
//
// It refuses to decide what is correct (a rule of the task), to embed text
// (vectors are passed in) and to say how sure a number is (metrics/infer).
//
// Its opinion: a metric is its function, its direction and its range together
// (Metric), and a corpus metric is a function of sums over records, so that a
// bootstrap need not score any text twice.
package metrics
