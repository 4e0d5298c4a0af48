import { structuredPatch, type StructuredPatch, type StructuredPatchHunk } from 'diff';

/** One file that differs. `patch` has its hunks; null where one of the two contents is no text. */
export interface FileDiff {
  path: string;
  kind: 'changed' | 'added' | 'removed' | 'binary';
  /** Lines. */
  added: number;
  removed: number;
  /** Each line with its mark: ' ', '+', '-', or '\' for the word on an end without a line break. */
  hunks: StructuredPatchHunk[];
  patch: StructuredPatch | null;
  /** Names as `patch -p1` and `git apply` take them. */
  from: string;
  to: string;
}

/** Edits after which two files count as different in every line: the search for fewer grows with their square. */
const MOST_EDITS = 2000;

/** The files that differ, by path, each with its hunks. */
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
  const kind = before ? (after ? 'changed' : 'removed') : 'added';
  return [{ ...names, kind, added: count('+'), removed: count('-'), hunks: patch.hunks, patch }];
}

const isBinary = (content: Buffer | undefined): boolean => content?.subarray(0, 8000).includes(0) === true;

/** The patch that takes away every line and puts in the new ones. */
function replaced({ from, to }: { from: string; to: string }, before: string, after: string): StructuredPatch {
  const gone = structuredPatch(from, to, before, '');
  const come = structuredPatch(from, to, '', after);
  const [old, made] = [gone.hunks[0], come.hunks[0]];
  const lines = [...(old?.lines ?? []), ...(made?.lines ?? [])];
  const starts = { oldStart: old?.oldStart ?? 0, newStart: made?.newStart ?? 0 };
  return { ...gone, hunks: [{ ...starts, oldLines: old?.oldLines ?? 0, newLines: made?.newLines ?? 0, lines }] };
}
