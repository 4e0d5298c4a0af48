// Reproducible randomness for a run, from PERPETUA_SEED.

/** A uniform generator on [0, 1) (mulberry32). */
export function createRandom(seed) {
  let state = Math.imul(seed, 0x9e3779b1) | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
