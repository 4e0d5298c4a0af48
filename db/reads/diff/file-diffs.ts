import { structuredPatch, type StructuredPatch, type StructuredPatchHunk } from 'diff';

/** One file that differs. `patch` has its hunks; null if either content is binary. */
export interface FileDiff {
  path: string;
  kind: 'changed' | 'added' | 'removed' | 'binary';
  /** Lines. */
  added: number;
  removed: number;
  /** Each line with its mark: ' ', '+', '-', or '\' for the note that the last line has no line break. */
  hunks: StructuredPatchHunk[];
  patch: StructuredPatch | null;
  /** Names in the form that `patch -p1` and `git apply` accept. */
  from: string;
  to: string;
}

/** Edits above which two files count as different in every line: the cost of a shorter diff grows with their square. */
const MOST_EDITS = 2000;

/** Files that differ, by path, each with its hunks. */
export function fileDiffs(before: Record<string, Buffer>, after: Record<string, Buffer>): FileDiff[] {
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
  return paths.flatMap((path) => fileDiff(path, before[path], after[path]));
}

function fileDiff(path: string, before: Buffer | undefined, after: Buffer | undefined): FileDiff[] {
  if (before && after && before.equals(after)) return [];
  const names = { path, from: before ? `a/${path}` : '/dev/null', to: after ? `b/${path}` : '/dev/null' };
  if (isBinary(before) || isBinary(after))
    return [{ ...names, kind: 'binary', added: 0, removed: 0, hunks: [], patch: null }];
  const [old, made] = [before?.toString('utf8') ?? '', after?.toString('utf8') ?? ''];
  const patch =
    structuredPatch(names.from, names.to, old, made, undefined, undefined, { maxEditLength: MOST_EDITS }) ??
    replaced(names, old, made);
  const count = (mark: string): number =>
    patch.hunks.reduce((sum, { lines }) => sum + lines.filter((line) => line.startsWith(mark)).length, 0);
  return [{ ...names, kind: kindOf(before, after), added: count('+'), removed: count('-'), hunks: patch.hunks, patch }];
}

function kindOf(before: Buffer | undefined, after: Buffer | undefined): FileDiff['kind'] {
  if (!before) return 'added';
  return after ? 'changed' : 'removed';
}

const isBinary = (content: Buffer | undefined): boolean => content?.subarray(0, 8000).includes(0) === true;

/** Patch that removes every line and adds the new ones. */
function replaced({ from, to }: { from: string; to: string }, before: string, after: string): StructuredPatch {
  const removal = structuredPatch(from, to, before, '');
  const addition = structuredPatch(from, to, '', after);
  const [old, made] = [removal.hunks[0], addition.hunks[0]];
  const lines = [...(old?.lines ?? []), ...(made?.lines ?? [])];
  const starts = { oldStart: old?.oldStart ?? 0, newStart: made?.newStart ?? 0 };
  return { ...removal, hunks: [{ ...starts, oldLines: old?.oldLines ?? 0, newLines: made?.newLines ?? 0, lines }] };
}
