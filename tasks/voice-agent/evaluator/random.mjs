// Reproducible randomness: one independent stream per label.
import { createHash } from 'node:crypto';

/** A generator (sfc32), seeded by a text such as `calls/17`. */
export function randomOf(label) {
  const digest = createHash('sha256').update(`perpetua/voice-agent/${label}`).digest();
  let [a, b, c, d] = [0, 4, 8, 12].map((at) => digest.readInt32LE(at));
  const next = () => {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + t;
    c |= 0;
    return (t >>> 0) / 2 ** 32;
  };
  for (let i = 0; i < 12; i++) next();
  return {
    next,
    chance: (probability) => next() < probability,
    pick: (list) => list[Math.floor(next() * list.length)],
    shuffle(list) {
      const left = [...list];
      return list.map(() => left.splice(Math.floor(next() * left.length), 1)[0]);
    },
  };
}
