import { expect, test } from 'vitest';
import type { Attention } from '../../../../view/page/research/attention.ts';
import { byCause } from '../../../../view/page/research/by-cause.ts';

const noWorker = (research: string, why: string | null): Attention => ({
  ...{ researches: [research], level: 'warning', title: 'No worker seems to run', why, at: null },
  commands: ['npx perpetua worker', 'npx perpetua doctor'],
});
const paused = (research: string): Attention => ({
  ...{ researches: [research], level: 'info', title: 'It is paused', why: null, at: null },
  commands: [`npx perpetua resume ${research}`],
});

test('what several researches need for one cause is one item with all of them', () => {
  const items = [
    noWorker('a', '2 trials wait'),
    paused('a'),
    noWorker('b', '5 trials wait'),
    noWorker('c', '5 trials wait'),
  ];
  expect(byCause(items)).toEqual([
    { ...noWorker('a', '2 trials wait; 5 trials wait'), researches: ['a', 'b', 'c'] },
    paused('a'),
  ]);
});

test('what takes another command for each research stays apart', () => {
  expect(byCause([paused('a'), paused('b')])).toEqual([paused('a'), paused('b')]);
});

test('of many reasons two are told, and a host has no research', () => {
  const items = ['x', 'y', 'z'].map((why) => noWorker('a', why));
  expect(byCause(items)).toMatchObject([{ why: 'x; y; …', researches: ['a'] }]);
  const host: Attention = { ...noWorker('', null), researches: [], title: 'Host box is out' };
  expect(byCause([host])).toEqual([host]);
});
