import type { TrialKind } from '../trial.ts';

/**
 * Each stream drives something else: `run` the program (`PERPETUA_SEED`), `evaluator` the questions that it is asked, `proposer`
 * the choice of a parent and of edits.
 */
export type Stream = 'run' | 'evaluator' | 'proposer';

/** SHA-256 of a text, in hex; that of the stream `evaluator` is an HMAC with a secret, so that no run can work it out. */
export type Hash = (text: string) => string;

/** Ingredients of a seed: all of them are stored, so that it can be made again. */
export interface SeedKey {
  /** Researches with the same root have the same seeds. */
  root: string;
  kind: TrialKind;
  /** The trial's number among those of its kind, from 1. */
  ordinal: number;
}

/** Kinds have spaces of their own, so that what one of them draws does not hang on how far another has come. */
const SPACES: Record<TrialKind, number> = { search: 0, baseline: 1, confirm: 2, remeasure: 3, injected: 4 };
const SPACE_BITS = 3;
const HEX_DIGITS = 7;

/**
 * Seeds of trials that are admitted together, one for each key, none of them in `taken`: 28 bits of the hash of root, stream,
 * kind, ordinal and a counter, followed by three bits of the kind. Where the counter 0 gives a seed that the research has, the
 * next counter is taken. As those of one kind are given out in the order of their ordinals, and no two kinds share a seed,
 * researches of one root agree on each of them, however their kinds are mixed.
 */
export function seedsFor(
  keys: readonly SeedKey[],
  { stream, hash, taken }: { stream: 'run' | 'evaluator'; hash: Hash; taken: ReadonlySet<number> },
): number[] {
  const given = new Set(taken);
  return keys.map((key) => {
    for (let counter = 0; ; counter += 1) {
      const seed = seedAt(key, { stream, hash, counter });
      if (given.has(seed)) continue;
      given.add(seed);
      return seed;
    }
  });
}

function seedAt({ root, kind, ordinal }: SeedKey, draw: { stream: Stream; hash: Hash; counter: number }): number {
  const text = JSON.stringify([root, draw.stream, kind, ordinal, draw.counter]);
  return parseInt(draw.hash(text).slice(0, HEX_DIGITS), 16) * 2 ** SPACE_BITS + SPACES[kind];
}

/** The proposer's seed: that of another research differs, also under the same root, and may come twice. */
export const proposerSeed = ({ root, kind, ordinal }: SeedKey, of: { researchId: string; sha256: Hash }): number =>
  first31(of.sha256(JSON.stringify([root, 'proposer', kind, ordinal, of.researchId])));

/** The first 31 bits of a hash in hex. */
export const first31 = (hash: string): number => parseInt(hash.slice(0, 8), 16) & 0x7fffffff;

/** The seed that drives the proposer of a trial; one that an older version admitted has a single seed for all. */
export const proposerSeedOf = (trial: { seed: number; proposerSeed: number | null }): number =>
  trial.proposerSeed ?? trial.seed;
