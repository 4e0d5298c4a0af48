// Reproducible randomness: one independent stream per label.
import { createHash } from 'node:crypto';

/** A uniform generator on [0, 1) (sfc32), seeded by a text such as `held-out/17`. */
export function randomOf(label) {
  const digest = createHash('sha256').update(`perpetua/nano-lm/${label}`).digest();
  let [a, b, c, d] = [0, 4, 8, 12].map((at) => digest.readInt32LE(at));
  return () => {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + t) | 0;
    return (t >>> 0) / 2 ** 32;
  };
}

/** An index drawn in proportion to its weight. */
export function draw(random, weights) {
  let left = random() * weights.reduce((sum, weight) => sum + weight, 0);
  for (let i = 0; i < weights.length - 1; i++) {
    left -= weights[i];
    if (left < 0) return i;
  }
  return weights.length - 1;
}
