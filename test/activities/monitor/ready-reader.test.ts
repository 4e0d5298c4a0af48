import { expect, test } from 'vitest';
import { createReadyReader } from '../../../activities/monitor/ready-reader.ts';

/** A reader of "serves at", and its clock. */
function reading(reader: unknown = null) {
  const clock = { ms: 0 };
  const found = createReadyReader('serves at', { readyAt: null, reader }, () => clock.ms);
  const afterEach = (...pieces: string[]): boolean[] =>
    pieces.map((piece) => (found.read(Buffer.from(piece)), found.isReady()));
  return { clock, afterEach, state: () => found.state(), isReady: () => found.isReady() };
}

test.each([
  { pieces: ['serves at', ' ', '4711', '\n'], ready: [false, false, false, true] },
  { pieces: ['up\nser', 'ves at 1\n'], ready: [false, true] },
  { pieces: ['up\nit serves at 1\nmore'], ready: [true] },
  { pieces: ['serves\n', 'at\n'], ready: [false, false] },
])('a server is ready with the end of the line that holds the text: $pieces', ({ pieces, ready }) => {
  expect(reading().afterEach(...pieces)).toEqual(ready);
});

test('a line that does not end is taken as it is after a second', () => {
  const { clock, afterEach, isReady } = reading();
  expect(afterEach('serves at 1')).toEqual([false]);
  clock.ms = 999;
  expect(isReady()).toBe(false);
  clock.ms = 1000;
  expect(isReady()).toBe(true);
});

test('another attempt goes on in the middle of the line', () => {
  const first = reading();
  expect(first.afterEach('serves at ')).toEqual([false]);
  expect(reading(first.state()).afterEach('47', '11\n')).toEqual([false, true]);
  const later = reading(first.state());
  later.clock.ms = 1000;
  expect(later.isReady()).toBe(true);
});
