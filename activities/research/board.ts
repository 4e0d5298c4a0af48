import type { RecentTrial } from '../../db/research/recent.ts';
import type { Research } from '../../db/research/research.ts';
import type { TxStore } from '../../db/store.ts';
import { baseline, claim, claimBasis } from '../../domain/gate/gate.ts';
import type { ShownVerdict } from '../../domain/trial.ts';
import { type BudgetUse, budgetUseOf } from '../../view/budget.ts';
import { computeOf, type Compute } from '../../view/rows/compute.ts';
import { finiteOrNull } from '../../domain/json/number.ts';

/** Number of last verdicts on a board. */
export const VERDICTS = 3;

export interface Estimate {
  candidateId: string;
  mean: number | null;
  sd: number | null;
  n: number;
  /** False if the candidate could have written one of its scores itself; absent before its first score. */
  trusted?: boolean;
}

/** Summary of a research. It is small, since it is stored in workflow histories. */
export interface Board {
  baseline: Estimate;
  /** `basis`: basis of its claim; absent if there is nothing to say, and on boards of older versions. */
  best: Estimate & { basis?: string };
  /** Compute of the best, relative to the baseline; absent if unknown, and on boards of older versions. */
  compute?: Compute;
  /** Spend on model calls. */
  spend: { tokens: number; usd: number };
  budget: BudgetUse;
  verdicts: { n: number; verdict: ShownVerdict; value: number | null; trusted?: boolean; hypothesis: string }[];
}

/** Reads the board of a research: best, baseline, spend, budget and the last verdicts. */
export async function boardOf(tx: TxStore, research: Research, recent: RecentTrial[]): Promise<Board> {
  const [first, best] = [estimate(baseline(research.gate)), estimate(claim(research.gate))];
  const { basis } = claimBasis(research.gateConfig, research.gate);
  const compute = await computeOfBest(tx, research, { baseline: first.candidateId, best: best.candidateId });
  const trust = await tx.trial.findTrust({
    researchId: research.id,
    candidateIds: [first.candidateId, best.candidateId],
  });
  return {
    baseline: { ...first, ...trusted(trust.get(first.candidateId)) },
    best: { ...best, ...trusted(trust.get(best.candidateId)), ...(basis === null ? {} : { basis }) },
    ...(compute ? { compute } : {}),
    spend: { tokens: research.tokens, usd: research.usd },
    budget: budgetUseOf(research),
    verdicts: recent.slice(0, VERDICTS).map((trial) => ({
      n: trial.n,
      verdict: trial.verdict ?? 'none',
      value: finiteOrNull(trial.value),
      ...trusted(trial.trusted),
      hypothesis: (trial.hypothesis ?? '').slice(0, 80),
    })),
  };
}

async function computeOfBest(
  tx: TxStore,
  { id: researchId, taskHash }: Research,
  { baseline, best }: { baseline: string; best: string },
): Promise<Compute | null> {
  if (baseline === best) return null;
  const { task } = await tx.task.loadTaskVersion(taskHash);
  const means = await tx.trial.findMeanCompute({ researchId, taskHash, candidateIds: [baseline, best] });
  return computeOf(task.run.budget, { used: means.get(best), baseline: means.get(baseline) });
}

// Absent rather than null: a board is stored in workflow histories.
const trusted = (known: boolean | null | undefined): { trusted?: boolean } =>
  known === null || known === undefined ? {} : { trusted: known };

const estimate = (from: { candidateId: string; mean: number | null; sd: number | null; n: number }): Estimate => ({
  candidateId: from.candidateId,
  mean: finiteOrNull(from.mean),
  sd: finiteOrNull(from.sd),
  n: from.n,
});
