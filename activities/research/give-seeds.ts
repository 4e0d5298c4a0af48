import type { HiddenSeeds } from '../../db/research/admission.ts';
import type { Research } from '../../db/research/research.ts';
import type { TxStore } from '../../db/store.ts';
import type { Numbered } from '../../domain/research/admission.ts';
import { type Hash, proposerSeed, type SeedKey, seedsFor } from '../../domain/trial/trial-seeds.ts';
import type { TrialKind, TrialSpec } from '../../domain/trial.ts';

export interface Hashes {
  sha256: Hash;
  /** Keyed with the installation's secret. */
  hmac: Hash;
}

export interface Seeded {
  spec: TrialSpec;
  hidden: HiddenSeeds;
}

/** Gives seeds to newly admitted trials. The caller holds the research's lock, so that no seed is given twice. */
export async function giveSeeds(
  tx: TxStore,
  { id: researchId, seedRoot, admitted }: Pick<Research, 'id' | 'seedRoot' | 'admitted'>,
  { numbered, hashes }: { numbered: readonly Numbered[]; hashes: Hashes },
): Promise<Seeded[]> {
  const root = seedRoot ?? researchId;
  // An evaluation has a seed root of its own, so that none of its runs has a seed of the training.
  const heldOutRoot = hashes.sha256(JSON.stringify([root, 'evaluation']));
  const keys = keysOf(numbered, { root, heldOutRoot, admitted });
  const fresh = { tx, researchId, keys };
  const runs = await freshSeeds(fresh, { stream: 'run', hash: hashes.sha256 });
  const evaluators = await freshSeeds(fresh, { stream: 'evaluator', hash: hashes.hmac });
  return numbered.map((trial, index) => ({
    spec: { ...trial, seed: at(runs, index) },
    hidden: {
      evaluatorSeed: at(evaluators, index),
      proposerSeed: proposerSeed(at(keys, index), { researchId, sha256: hashes.sha256 }),
    },
  }));
}

function keysOf(
  numbered: readonly Numbered[],
  { root, heldOutRoot, admitted }: { root: string; heldOutRoot: string; admitted: Partial<Record<TrialKind, number>> },
): SeedKey[] {
  const given = { ...admitted };
  return numbered.map(({ kind }) => {
    const ordinal = (given[kind] ?? 0) + 1;
    given[kind] = ordinal;
    return { root: kind === 'evaluation' ? heldOutRoot : root, kind, ordinal };
  });
}

/** Draws seeds that no trial of the research has. It draws again only after a collision, which is rare. */
async function freshSeeds(
  { tx, researchId, keys }: { tx: TxStore; researchId: string; keys: readonly SeedKey[] },
  { stream, hash }: { stream: 'run' | 'evaluator'; hash: Hash },
): Promise<number[]> {
  const taken = new Set<number>();
  for (;;) {
    const seeds = seedsFor(keys, { stream, hash, taken });
    const found = await tx.research.findSeeds({ researchId, stream, among: seeds });
    if (found.length === 0) return seeds;
    for (const seed of found) taken.add(seed);
  }
}

function at<T>(list: readonly T[], index: number): T {
  const item = list[index];
  if (item === undefined) throw new Error(`Expected one for each trial, found ${list.length}`);
  return item;
}
