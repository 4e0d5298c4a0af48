# Finds the K positions. Sample s has the bits x[s * N] to x[s * N + N - 1] and the label y[s]; N, K and M are given.
# Only reads of memory cost. Constants, arithmetic and writes are free.

# Samples that are copied, and how many of them share a word.
SAMPLES = 24
WORD = 1
# Further samples that a set of positions must fit. They are read where they are.
CONFIRM = 0
# 1: bits are collected in a variable. 0: they are collected in the word.
GATHER = 0
# 1: the first words of two positions are combined once for all third positions.
HOIST = 0
# 1: the words of one position are neighbours. 0: the words of the same samples are.
BY_POSITION = 0

WORDS = (SAMPLES + WORD - 1) // WORD
ACROSS = BY_POSITION * WORDS + (1 - BY_POSITION)
ALONG = BY_POSITION + (1 - BY_POSITION) * N
words = array(N * WORDS)
labels = array(WORDS)


def load():
    for word in range(WORDS):
        for sample in range(word * WORD, SAMPLES if word == WORDS - 1 else word * WORD + WORD):
            labels[word] += y[sample] << sample % WORD
        for bit in range(N):
            gathered = 0
            for sample in range(word * WORD, SAMPLES if word == WORDS - 1 else word * WORD + WORD):
                if GATHER:
                    gathered += x[sample * N + bit] << sample % WORD
                else:
                    words[bit * ACROSS + word * ALONG] += x[sample * N + bit] << sample % WORD
            if GATHER:
                words[bit * ACROSS + word * ALONG] = gathered


def fits(a, b, c, first):
    for word in range(first, WORDS):
        at = word * ALONG
        if words[a * ACROSS + at] ^ words[b * ACROSS + at] ^ words[c * ACROSS + at] != labels[word]:
            return 0
    for sample in range(SAMPLES, SAMPLES + CONFIRM):
        if x[sample * N + a] ^ x[sample * N + b] ^ x[sample * N + c] != y[sample]:
            return 0
    return 1


def solve():
    load()
    for a in range(N - 2):
        for b in range(a + 1, N - 1):
            if HOIST:
                wanted = words[a * ACROSS] ^ words[b * ACROSS] ^ labels[0]
            for c in range(b + 1, N):
                if HOIST:
                    if words[c * ACROSS] == wanted and fits(a, b, c, 1):
                        return 1 << a | 1 << b | 1 << c
                elif fits(a, b, c, 0):
                    return 1 << a | 1 << b | 1 << c
    return 0
