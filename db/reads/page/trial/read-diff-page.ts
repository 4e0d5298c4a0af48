import type { Against } from '../../../../view/trial/diff.ts';
import type { Tx } from '../../../connect.ts';
import { readDiff } from '../../diff/read-diff.ts';
import { readTrial } from '../../read-trial.ts';
import type { FileDiff } from '../../diff/file-diffs.ts';
import { findTrial } from './find-trial.ts';

/** A file's hunks; each line has its mark. */
interface FilePage extends Pick<FileDiff, 'path' | 'kind' | 'added' | 'removed'> {
  hunks: { oldStart: number; newStart: number; lines: string[] }[];
}

/** Lines and characters of a diff that a page is sent at most, and characters of one line. */
const MOST = { lines: 5000, characters: 600_000, ofLine: 10_000 };

/** The files of a diff with as many of their lines as a page shows; what was counted is the whole. */
export function cutDiff(files: readonly FileDiff[]): { files: FilePage[]; cut: boolean } {
  const left = { ...MOST, cut: false };
  const shown = files.map(({ path, kind, added, removed, hunks }) => {
    const kept = hunks.map(({ oldStart, newStart, lines }) => ({ oldStart, newStart, lines: take(lines, left) }));
    return { path, kind, added, removed, hunks: kept.filter(({ lines }) => lines.length > 0) };
  });
  return { files: shown, cut: left.cut };
}

function take(lines: readonly string[], left: { lines: number; characters: number; cut: boolean }): string[] {
  const taken: string[] = [];
  for (const line of lines) {
    const shown = line.length > MOST.ofLine ? `${line.slice(0, MOST.ofLine)}…` : line;
    if (left.lines < 1 || left.characters < shown.length) {
      left.cut = true;
      break;
    }
    left.cut ||= shown.length < line.length;
    left.lines -= 1;
    left.characters -= shown.length;
    taken.push(shown);
  }
  return taken;
}

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
