import { baseline, claim } from '../../domain/gate/gate.ts';
import type { Verdict } from '../../domain/trial.ts';
import type { RecentTrial } from './recent.ts';
import type { Research } from './research.ts';

/** Trials that a board looks at. */
export const VERDICTS = 3;

export interface Estimate {
  candidateId: string;
  mean: number | null;
  sd: number | null;
  n: number;
}

/** What a person wants to see at a glance; small, since it travels in workflow history. */
export interface Board {
  baseline: Estimate;
  best: Estimate;
  verdicts: { n: number; verdict: Verdict; value: number | null; hypothesis: string }[];
}

/** Best so far, baseline and the last verdicts of a research. */
export const boardOf = (research: Research, recent: RecentTrial[]): Board => ({
  baseline: estimate(baseline(research.gate)),
  best: estimate(claim(research.gate)),
  verdicts: recent.slice(0, VERDICTS).map((trial) => ({
    n: trial.n,
    verdict: trial.verdict ?? 'none',
    value: finite(trial.value),
    hypothesis: (trial.hypothesis ?? '').slice(0, 80),
  })),
});

const finite = (value: number | null): number | null => (value !== null && Number.isFinite(value) ? value : null);

const estimate = (from: { candidateId: string; mean: number | null; sd: number | null; n: number }): Estimate => ({
  candidateId: from.candidateId,
  mean: finite(from.mean),
  sd: finite(from.sd),
  n: from.n,
});
