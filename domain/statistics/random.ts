/** A seeded stream of draws: the same seed gives the same stream on every machine. */
export interface Random {
  /** In [0, 1). */
  uniform(): number;
  /** Standard normal. */
  normal(): number;
  /** Whole number in [0, n). */
  below(n: number): number;
}

/** A generator (sfc32) that is good enough for search, never for secrets; `seed` is any finite number. */
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
  // Neighbouring seeds start alike; the first draws are thrown away until they no longer do.
  for (let i = 0; i < 15; i += 1) next();
  const uniform = (): number => next() / 2 ** 32;
  return {
    uniform,
    normal: () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform()),
    below: (n) => Math.floor(uniform() * n),
  };
}
