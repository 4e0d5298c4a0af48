import type { TrialKind } from '../trial.ts';

/**
 * Streams of seeds. `run` seeds the program (`PERPETUA_SEED`), `evaluator` its evaluation, `proposer` the choice of
 * parent and edits.
 */
export type Stream = 'run' | 'evaluator' | 'proposer';

/** SHA-256 of a text in hex. For the stream `evaluator` it is an HMAC with a secret, so that no run can compute it. */
export type Hash = (text: string) => string;

/** Inputs of a seed. All are stored, so that the seed can be recomputed. */
export interface SeedKey {
  /** Researches with the same root have the same seeds. */
  root: string;
  kind: TrialKind;
  /** The trial's number among those of its kind, from 1. */
  ordinal: number;
}

/**
 * Suffix of seeds by kind. Seeds of different kinds never collide, so that no kind's seeds depend on another's
 * progress.
 */
const SPACES: Record<TrialKind, number> = {
  search: 0,
  baseline: 1,
  confirm: 2,
  remeasure: 3,
  injected: 4,
  evaluation: 5,
  ablation: 6,
};
const SPACE_BITS = 3;
const HEX_DIGITS = 7;

/**
 * Seeds for trials that are admitted together, one for each key, none in `taken`. A seed is 28 bits of the hash of
 * root, stream, kind, ordinal and a counter, followed by three bits for the kind. The counter starts at 0 and rises
 * until the seed is new in the research. Seeds of one kind are assigned in the order of their ordinals, and kinds share
 * no seed. Researches with one root therefore get equal seeds, however they mix kinds.
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

/** The proposer's seed. It differs between researches, even with one root, and need not be unique. */
export const proposerSeed = (
  { root, kind, ordinal }: SeedKey,
  { researchId, sha256 }: { researchId: string; sha256: Hash },
): number => first31(sha256(JSON.stringify([root, 'proposer', kind, ordinal, researchId])));

/** The first 31 bits of a hash in hex. */
export const first31 = (hash: string): number => parseInt(hash.slice(0, 8), 16) & 0x7fffffff;

/** The seed of a trial's proposer. A trial that an older version admitted has one seed for all streams. */
export const proposerSeedOf = (trial: { seed: number; proposerSeed: number | null }): number =>
  trial.proposerSeed ?? trial.seed;
