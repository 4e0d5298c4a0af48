import type { Against } from '../../../../view/trial/diff.ts';
import type { Tx } from '../../../connect.ts';
import { readDiff } from '../../diff/read-diff.ts';
import { readTrial } from '../../read-trial.ts';
import type { FileDiff } from '../../diff/file-diffs.ts';
import { findTrial } from './find-trial.ts';

/** A file's hunks; each line begins with its mark. */
interface FilePage extends Pick<FileDiff, 'path' | 'kind' | 'added' | 'removed'> {
  hunks: { oldStart: number; newStart: number; lines: string[] }[];
}

/** Most lines and characters of a diff on a page, and most characters of a line. */
const MOST = { lines: 5000, characters: 600_000, ofLine: 10_000 };

/** Files of a diff with as many lines as a page shows; the counts are of the whole diff. */
export function cutDiff(files: readonly FileDiff[]): { files: FilePage[]; cut: boolean } {
  const remaining = { ...MOST, cut: false };
  const shown = files.map(({ path, kind, added, removed, hunks }) => {
    const kept = hunks.map(({ oldStart, newStart, lines }) => ({ oldStart, newStart, lines: take(lines, remaining) }));
    return { path, kind, added, removed, hunks: kept.filter(({ lines }) => lines.length > 0) };
  });
  return { files: shown, cut: remaining.cut };
}

function take(lines: readonly string[], remaining: { lines: number; characters: number; cut: boolean }): string[] {
  const taken: string[] = [];
  for (const line of lines) {
    const shown = line.length > MOST.ofLine ? `${line.slice(0, MOST.ofLine)}…` : line;
    if (remaining.lines < 1 || remaining.characters < shown.length) {
      remaining.cut = true;
      break;
    }
    remaining.cut ||= shown.length < line.length;
    remaining.lines -= 1;
    remaining.characters -= shown.length;
    taken.push(shown);
  }
  return taken;
}

export interface DiffPage {
  /** Description of the candidate that it is compared with. */
  against: string;
  /** Reason why there is nothing to show, in words; null if there is a difference. */
  nothing: string | null;
  files: FilePage[];
  /** True if lines were left out or cut. */
  cut: boolean;
}

/** Changes of a trial, or its differences from a trial of any research; undefined if either is unknown. */
export async function readDiffPage(
  db: Tx,
  { trialId, against, other }: { trialId: string; against: Against; other?: string | undefined },
): Promise<DiffPage | undefined> {
  const found = await findTrial(db, { trialId });
  const compared = other === undefined ? undefined : await readTrial(db, { trialId: other });
  if (!found || (other !== undefined && !compared)) return undefined;
  const { trial, research } = found;
  const input = { trial, research, against };
  const diff = await readDiff(db, compared ? { ...input, other: compared.trial } : input);
  return { against: diff.against, nothing: diff.nothing, ...cutDiff(diff.files) };
}
