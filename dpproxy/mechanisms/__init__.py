"""Mechanisms: what is applied to exact integers before anything is told of them. Pure but for entropy.

contract     what each of them owns: sensitivity, loss, dominating pairs, release, error, description
kinds        the closed union of those that a release may have
noise        additive noise: discrete Laplace, discrete Gaussian
selection    which private keys may be named, by a threshold
noise_at_a_clip
             noise at a clip that is chosen from the data: clipped_noise, of a measure; distinct_noise, of numbers of
             values; paired_noise, of rows of two units, whose pair_totals are held to it; clipped_max: which public
             key has the largest total at one
noisy_max    which public key has the largest total; mode_choice: which declared value is the most frequent
quantile_choice, quantile_brackets, quantile_tree
             within which buckets of a histogram some ranks lie: by the exponential mechanism, or by noisy counts;
             ranks, histograms: what they read
timing       the noise of a statement's time
tails        how likely noise is to reach a number, rounded up; sensitivity, remembered, shown: what they lean on

Each states how sensitivity becomes loss, and is built and checked by OpenDP.

Checked by: tests/test_mechanisms.py, tests/test_mechanism_kinds.py.
"""
