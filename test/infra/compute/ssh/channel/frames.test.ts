import { expect, it } from 'vitest';
import { frameReader } from '../../../../../infra/compute/ssh/channel/frames.ts';

const TEXT = 'noise\nMARK and MARKMAR\nMARK\nout 3 7 0\na\nbdone 0 \nbig 0 x\n';
const said = (frames: ReturnType<ReturnType<typeof frameReader>['push']>) =>
  frames.map(({ type, words, payload }) => [type, words, payload.toString()]);

it.each([1, 2, 3, 5, 1000])('reads frames after the mark, in pieces of %i bytes', (size) => {
  const reader = frameReader('MARK');
  const bytes = Buffer.from(TEXT);
  const frames = [];
  for (let at = 0; at < bytes.length; at += size) frames.push(...reader.push(bytes.subarray(at, at + size)));
  expect(said(frames)).toEqual([
    ['out', ['7', '0'], 'a\nb'],
    ['done', [], ''],
    ['big', ['x'], ''],
  ]);
});

it('refuses what is no frame, and noise without end', () => {
  expect(() => frameReader('MARK').push(Buffer.from('MARK\nhello there\n'))).toThrow('TYPE LENGTH');
  expect(() => frameReader('MARK').push(Buffer.from(`MARK\n${'x'.repeat(5000)}`))).toThrow('expected a line');
  expect(() => frameReader('MARK').push(Buffer.alloc(2_000_000, 'y\n'))).toThrow('login shell');
});
