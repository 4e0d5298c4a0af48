import { describeAgainst, lacksCandidate, nothingChanged, type Against } from '../../../view/trial/diff.ts';
import type { Tx } from '../../connect.ts';
import { readCandidateFiles } from '../read-files.ts';
import type { ResearchView } from '../read-research.ts';
import type { TrialRow } from '../read-trial.ts';
import { fileDiffs, type FileDiff } from './file-diffs.ts';

export interface TrialDiff {
  /** Null if the trial has no candidate; `nothing` has the reason. */
  candidateId: string | null;
  /** Candidate that it is compared with. */
  from: string | null;
  /** Description of `from`. */
  against: string;
  /** Reason why there is nothing to show, in words; null if there is a difference. */
  nothing: string | null;
  files: FileDiff[];
}

interface Input {
  trial: TrialRow;
  research: Pick<ResearchView, 'baselineCandidate' | 'gate'>;
  against: Against;
  /** Trial to compare with, instead of `against`. */
  other?: TrialRow;
}

/** Changes of a trial against its parent, the unmodified version or the best, or against another trial. */
export async function readDiff(db: Tx, { trial, research, against, other }: Input): Promise<TrialDiff> {
  const description = describeAgainst(against, other?.id);
  const { candidateId } = trial;
  const withoutCandidate = [trial, other].find((one) => one?.candidateId === null);
  if (candidateId === null || withoutCandidate) {
    const nothing = lacksCandidate(withoutCandidate ?? trial);
    return { candidateId, from: null, against: description, nothing, files: [] };
  }
  const from = other ? (other.candidateId ?? candidateId) : fromOf({ ...trial, candidateId }, research, against);
  const files = await filesOf(db, trial.id, candidateId);
  const differing = fileDiffs(await filesOf(db, trial.id, from), files);
  const { baselineCandidate } = research;
  const nothing =
    differing.length > 0
      ? null
      : nothingChanged({ trialId: trial.id, candidateId, from, baselineCandidate, against: description });
  return { candidateId, from, against: description, nothing, files: differing };
}

const fromOf = (
  { candidateId, parentId }: { candidateId: string; parentId: string | null },
  { baselineCandidate, gate }: Input['research'],
  against: Against,
): string => ({ parent: parentId ?? candidateId, baseline: baselineCandidate, best: gate.incumbentId })[against];

async function filesOf(db: Tx, trialId: string, candidateId: string): Promise<Record<string, Buffer>> {
  const files = await readCandidateFiles(db, { candidateId });
  if (!files) throw new Error(`Expected the stored files of ${trialId} and what it is compared with, found none.`);
  return files;
}
