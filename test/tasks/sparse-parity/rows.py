# Nine samples in three words, with a bit per position, so that three reads test all third positions on three samples.
FULL = (1 << N) - 1
FIELDS = 1 | 1 << N | 1 << 2 * N
CHECKS = 18


def row(sample):
    bits = 0
    for bit in range(N - 1, -1, -1):
        bits = bits * 2 | x[sample * N + bit]
    # Bit c fits positions a and b if it is the complement of their parity.
    return bits ^ (0 if y[sample] else FULL)


def word(sample):
    return row(sample) | row(sample + 1) << N | row(sample + 2) << 2 * N


def fits(a, b, c):
    for sample in range(9, 9 + CHECKS):
        if x[sample * N + a] ^ x[sample * N + b] ^ x[sample * N + c] != y[sample]:
            return 0
    return 1


def solve():
    first = word(0)
    second = word(3)
    third = word(6)
    for a in range(N - 2):
        for b in range(a + 1, N - 1):
            left = first ^ ((first >> a ^ first >> b) & FIELDS) * FULL
            left = left & left >> N & left >> 2 * N & FULL
            if left >> b + 1:
                more = second ^ ((second >> a ^ second >> b) & FIELDS) * FULL
                left = left & more & more >> N & more >> 2 * N
                if left >> b + 1:
                    more = third ^ ((third >> a ^ third >> b) & FIELDS) * FULL
                    left = left & more & more >> N & more >> 2 * N
                    c = b + 1
                    while left >> c:
                        if left >> c & 1 and fits(a, b, c):
                            return 1 << a | 1 << b | 1 << c
                        c += 1
    return 0
