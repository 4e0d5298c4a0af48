import { effectOf, type Effect } from '../../../domain/ablation/effect.ts';
import { readAblated } from '../../ablation/ablations.ts';
import type { Tx } from '../../connect.ts';
import type { ResearchView } from '../read-research.ts';

/** The effect of an edit of a claim. */
export interface AblatedEdit extends Effect {
  edit: string;
  /** True if the claim without the edit is the unmodified version. */
  isOriginal: boolean;
  /** Runs of the variant with an outcome, and runs that were requested. */
  ended: number;
  requested: number;
}

export interface Ablation {
  /** Number of the claim. */
  claim: number;
  ofTrial: number | null;
  /** Runs of the claim with an outcome, and runs that were requested, both for this comparison. */
  ended: number;
  requested: number;
  edits: AblatedEdit[];
}

/** The ablations of a research's claims, the newest claim first. Requests for one claim are taken together. */
export async function readAblations(db: Tx, research: ResearchView): Promise<Ablation[]> {
  const rows = await readAblated(db, research);
  const { direction } = research.task.metric;
  return [...new Set(rows.map(({ claim }) => claim))].map((claim) => {
    const ofClaim = rows.filter((row) => row.claim === claim);
    const whole = ofClaim.find(({ edit }) => edit === null);
    const edits = ofClaim.flatMap(({ edit, candidateId, values, ended, requested }) => {
      if (edit === null) return [];
      const effect = effectOf({ with: whole?.values ?? [], without: values }, direction);
      return [{ edit, isOriginal: candidateId === research.baselineCandidate, ended, requested, ...effect }];
    });
    const { ofTrial = null, ended = 0, requested = 0 } = whole ?? {};
    return { claim, ofTrial, ended, requested, edits };
  });
}
