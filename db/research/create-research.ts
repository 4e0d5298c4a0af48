import type { Db } from '../connect.ts';
import { saveCandidate } from '../trial/candidate.ts';
import { insertResearch, type NewResearch } from './research.ts';

/** Stores a new research with its unmodified candidate; a research that exists stays as it is. */
export async function createResearch(
  db: Db,
  input: Omit<NewResearch, 'baselineCandidate'> & {
    baseline: { id: string; immutableHash: string; files: Record<string, string> };
  },
): Promise<void> {
  const { baseline, ...research } = input;
  await db.transaction(async (tx) => {
    await saveCandidate(tx, baseline);
    await insertResearch(tx, { ...research, baselineCandidate: baseline.id });
  });
}
