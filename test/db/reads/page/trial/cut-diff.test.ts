import { expect, test } from 'vitest';
import { fileDiffs } from '../../../../../db/reads/diff/file-diffs.ts';
import { cutDiff } from '../../../../../db/reads/page/trial/read-diff-page.ts';

const file = (text: string) => Buffer.from(text);
const count = ({ files }: ReturnType<typeof cutDiff>): number =>
  files.flatMap(({ hunks }) => hunks.flatMap(({ lines }) => lines)).length;

test('a small diff is complete', () => {
  const cut = cutDiff(fileDiffs({ f: file('a\n') }, { f: file('b\n') }));
  expect(cut).toMatchObject({ cut: false, files: [{ path: 'f', added: 1, removed: 1 }] });
});

test('a diff of many lines ends after five thousand, with the counts of the whole diff', () => {
  const lines = Array.from({ length: 9000 }, (_, n) => `${n}\n`).join('');
  const cut = cutDiff(fileDiffs({}, { a: file(lines), b: file('x\n') }));
  expect(count(cut)).toBe(5000);
  expect(cut).toMatchObject({ cut: true, files: [{ added: 9000 }, { path: 'b', added: 1, hunks: [] }] });
});

test('a line of a megabyte is cut, with a mark', () => {
  const cut = cutDiff(fileDiffs({}, { f: file(`${'x'.repeat(1_000_000)}\nlast\n`) }));
  expect(cut.cut).toBe(true);
  expect(cut.files[0]?.hunks[0]?.lines.map(({ length }) => length)).toEqual([10_001, 5]);
});

test('many long lines together stay below a megabyte', () => {
  const cut = cutDiff(fileDiffs({}, { f: file(`${'y'.repeat(9000)}\n`.repeat(1000)) }));
  expect(JSON.stringify(cut).length).toBeLessThan(700_000);
});
