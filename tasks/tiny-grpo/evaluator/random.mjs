// Reproducible randomness: one independent stream per label.
import { createHash } from 'node:crypto';

/** A uniform generator on [0, 1) (sfc32), seeded by a text such as `questions/17`. */
export function randomOf(label) {
  const digest = createHash('sha256').update(`perpetua/tiny-grpo/${label}`).digest();
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

/** A whole number from `least` to `most`. */
export const whole = (random, least, most) => least + Math.floor(random() * (most - least + 1));

/** A member of a list, each as likely. */
export const pick = (random, list) => list[Math.floor(random() * list.length)];
