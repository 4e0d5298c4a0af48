/** A seeded stream of draws. The same seed gives the same stream on every machine. */
export interface Random {
  /** Uniform draw from [0, 1). */
  uniform(): number;
  /** Draw from the standard normal distribution. */
  normal(): number;
  /** Whole number drawn from [0, n). */
  below(n: number): number;
}

/** Creates an sfc32 generator, for searches and never for secrets. `seed` is any finite number. */
export function createRandom(seed: number): Random {
  let a = Math.floor(seed) | 0;
  let b = Math.floor(seed / 2 ** 32) | 0;
  let c = 0x9e3779b9 | 0;
  let counter = 1;
  const next = (): number => {
    const t = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + t;
    c |= 0;
    return t >>> 0;
  };
  // Discards the first draws, in which neighbouring seeds give similar values.
  for (let i = 0; i < 15; i += 1) next();
  const uniform = (): number => next() / 2 ** 32;
  return {
    uniform,
    normal: () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform()),
    below: (n) => Math.floor(uniform() * n),
  };
}
