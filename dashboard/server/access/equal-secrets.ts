import { createHash, timingSafeEqual } from 'node:crypto';

/** Compares two texts in constant time. The digests have one length, as `timingSafeEqual` requires. */
export const equalSecrets = (received: string, expected: string): boolean =>
  timingSafeEqual(digest(received), digest(expected));

const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
