import type { CarriedCurve } from '../../domain/abort/carried/curve.ts';
import type { Db } from '../connect.ts';
import { insertCarried } from '../run/carried.ts';
import { saveCandidate } from '../trial/candidate.ts';
import { insertResearch, type NewResearch } from './research.ts';

/** Stores a new research with its unmodified candidate and what it begins with; a research that exists stays as it is. */
export async function createResearch(
  db: Db,
  input: Omit<NewResearch, 'baselineCandidate'> & {
    baseline: { id: string; immutableHash: string; files: Record<string, string> };
    /** Finished curves of so many earlier researches; null: none. */
    carried?: { curves: CarriedCurve[]; researches: number } | null;
  },
): Promise<void> {
  const { baseline, carried, ...research } = input;
  await db.transaction(async (tx) => {
    await saveCandidate(tx, baseline);
    const isNew = await insertResearch(tx, { ...research, baselineCandidate: baseline.id });
    if (isNew && carried) await insertCarried(tx, { researchId: research.id, taskHash: research.taskHash, ...carried });
  });
}
