import { baseline } from '../../../domain/gate/gate.ts';
import type { RewardReading, Scored } from '../../../domain/search/reward.ts';
import { changedLines, nearestDistance } from '../../../domain/search/reward/distance.ts';
import type { Trial } from '../../../db/trial/proposal.ts';
import type { Rewarding } from './rewarding.ts';

/** Candidates that a change is compared with, the newest: as long as the history of AutoResearch-RL. */
const HISTORY = 32;

/** A scored outcome as its reward sees it; what that one does not read is left out. */
export async function readScored(
  of: Pick<Rewarding, 'tx' | 'research' | 'gate' | 'rule'>,
  { trial, value }: { trial: Trial; value: number },
): Promise<Scored> {
  const { tx, gate, rule } = of;
  const { sign } = gate;
  const has = (reading: RewardReading): boolean => rule.reads.includes(reading);
  const { parentId } = trial;
  return {
    ...{ sign, value, seconds: trial.seconds },
    baseline: has('baseline') ? baseline(gate).mean : null,
    parent: (has('parent') && parentId ? await tx.trial.findMeans({ trial, candidateId: parentId }) : null) ?? null,
    ranks: has('ranks') ? await tx.trial.findRanks({ trial, value, sign }) : null,
    distance: has('distance') ? await distanceOf(of, trial) : null,
  };
}

/** How far the trial's change is from those that were tried before. */
async function distanceOf({ tx, research }: Pick<Rewarding, 'tx' | 'research'>, trial: Trial): Promise<number> {
  const { baselineCandidate } = research;
  const ids = await tx.trial.findTried({ trial, limit: HISTORY });
  const [original = {}, own = {}, ...others] = await tx.trial.loadCandidates([
    ...[baselineCandidate, trial.candidateId ?? baselineCandidate],
    ...ids,
  ]);
  return nearestDistance(
    changedLines(original, own),
    others.map((other) => changedLines(original, other)),
  );
}
