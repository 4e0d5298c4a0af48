import { readEvaluation } from '../../../db/reads/policy/read-evaluation.ts';
import { readResearch } from '../../../db/reads/read-research.ts';
import {
  type EvaluationSummary,
  summarizeEvaluation,
} from '../../../domain/learning/evaluation/summarize-evaluation.ts';
import { rewardIn } from '../../../domain/search/reward/table.ts';
import { withDb } from '../../context.ts';
import type { Io } from '../../io.ts';

/** Reads the result of an evaluation so far; without samples if no worker has opened it. */
export const readSummary = (io: Io, { id }: { id: string }): Promise<EvaluationSummary> =>
  withDb(io, async (db) => {
    const research = await readResearch(db, { researchId: id });
    const hasReward = rewardIn(research?.task.search ?? {}) !== null;
    return summarizeEvaluation(await readEvaluation(db, { researchId: id }), { hasReward });
  });
