import { formatPatch } from 'diff';
import type { FileDiff } from './file-diffs.ts';

/** A unified diff over all files that differ, with a/ and b/ names that `patch -p1` and `git apply` accept. */
export const unifiedDiff = (files: readonly FileDiff[]): string => files.map(unifiedFile).join('');

function unifiedFile({ patch, from, to }: FileDiff): string {
  if (patch === null) return `Binary files ${from} and ${to} differ\n`;
  return formatPatch(patch)
    .replace(/^=+\n/, '')
    .replace(/^(--- [^\t\n]*)\t?$/m, '$1')
    .replace(/^(\+\+\+ [^\t\n]*)\t?$/m, '$1');
}
