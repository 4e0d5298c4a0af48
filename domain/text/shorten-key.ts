import { hashToSeed } from '../trial/seed.ts';

/** Most characters of a key that are kept as written. */
const LONGEST = 200;

/** A key that people read: a long one ends in a hash of the whole key, so that different keys stay different. */
export const shortenKey = (key: string): string =>
  key.length <= LONGEST ? key : `${key.slice(0, LONGEST)} #${hashToSeed(key)}`;
