import type { Against } from '../../../../view/trial/diff.ts';
import type { Tx } from '../../../connect.ts';
import { readDiff } from '../../diff/read-diff.ts';
import { readTrial } from '../../read-trial.ts';
import { cutDiff, type FilePage } from './cut-diff.ts';
import { findTrial } from './find-trial.ts';

export interface DiffPage {
  /** The candidate that it is compared with, in words. */
  against: string;
  /** In words, where there is nothing to show. */
  nothing: string | null;
  files: FilePage[];
  /** Whether lines were left out, or cut. */
  cut: boolean;
}

/** What a trial changed, or how it differs from another one of any research; undefined where either is unknown. */
export async function readDiffPage(
  db: Tx,
  { trialId, against, other }: { trialId: string; against: Against; other?: string | undefined },
): Promise<DiffPage | undefined> {
  const found = await findTrial(db, { trialId });
  const compared = other === undefined ? undefined : await readTrial(db, { trialId: other });
  if (!found || (other !== undefined && !compared)) return undefined;
  const { trial, research } = found;
  const input = { trial, research, against, ...(compared ? { other: compared.trial } : {}) };
  const { against: words, nothing, files } = await readDiff(db, input);
  return { against: words, nothing, ...cutDiff(files) };
}
