import { describe, expect, it } from 'vitest';
import { AT_BEGINNING, cutStream, LINE_BYTES, type Unfinished } from '../../../domain/metric/lines.ts';

/**
 * The lines of a stream that arrives in these pieces, with the last one even if it has no end. `again` hands the
 * unfinished rest from one reader to the next between two pieces.
 */
function linesIn(pieces: readonly string[], again = (left: Unfinished): Unfinished => left): string[] {
  let left = AT_BEGINNING;
  const lines = pieces.flatMap((piece) => {
    const cut = cutStream(left, piece);
    left = again(cut.left);
    return cut.lines;
  });
  return left.skipping || left.rest === '' ? lines : [...lines, left.rest];
}

/** All ways to cut a text in two, and the cut into single characters. */
const waysOf = (text: string): string[][] => [
  ...Array.from({ length: text.length + 1 }, (_, at) => [text.slice(0, at), text.slice(at)]),
  [...text],
];

describe('a stream gives the same lines in any number of pieces', () => {
  it.each([
    ['line feeds', 'a\nbc\n\nd\n', ['a', 'bc', 'd']],
    ['carriage returns at the beginning', '\ra\rbc\rd', ['a', 'bc', 'd']],
    ['carriage returns at the end', 'a\rbc\rd\r', ['a', 'bc', 'd']],
    ['both at each end', 'a\r\nbc\r\r\nd\r\n', ['a', 'bc', 'd']],
    ['backspaces', 'a\b\b\b\rbc\b\bd', ['a', 'bc', 'd']],
    ['codes that end a line', 'a\x1b[2K\x1b[1Gbc\x1b[10;20Hd\x1bMe', ['a', 'bc', 'd', 'e']],
    ['codes that end no line', '\x1b[31ma\x1b[0m\nb\x1b[K\x1b', ['\x1b[31ma\x1b[0m', 'b\x1b[K\x1b']],
  ])('with %s', (_, text, lines) => {
    for (const pieces of waysOf(text)) expect(linesIn(pieces)).toEqual(lines);
  });
});

describe('a line that is too long is skipped, in whatever pieces it is read', () => {
  const [most, long] = ['x'.repeat(LINE_BYTES), 'x'.repeat(LINE_BYTES + 1)];
  const ends = ['\n', '\r', '\r\n', '\b', '\x1b[2K', '\x1b[1G'];
  const cuts = [1, LINE_BYTES - 1, LINE_BYTES, LINE_BYTES + 1, LINE_BYTES + 2, LINE_BYTES + 5];

  it.each(ends)('with %j at its end', (end) => {
    for (const [line, read] of [
      [most, [most, 'next']],
      [long, ['next']],
      [`${long} step 3 loss nan`, ['next']],
    ] as const) {
      const text = `${line}${end}next${end}`;
      expect(linesIn([text])).toEqual(read);
      for (const at of cuts) expect(linesIn([text.slice(0, at), text.slice(at)])).toEqual(read);
      // The next reader gets only the stored rest.
      const again = (left: Unfinished): Unfinished => JSON.parse(JSON.stringify(left)) as Unfinished;
      expect(linesIn(text.match(/[^]{1,1000}/g) ?? [], again)).toEqual(read);
    }
  });

  it('without a need for memory', () => {
    let left = AT_BEGINNING;
    for (let i = 0; i < 100; i += 1) ({ left } = cutStream(left, long));
    expect(left).toEqual({ rest: '', skipping: true });
  });

  it('even if it has no end', () => {
    expect(linesIn([long])).toEqual([]);
  });
});

it('reports of each piece whether it ends a line, even an empty one', () => {
  const ends = ['a', 'b\r', '\n', '\n', '\x1b[', '2K', 'c'];
  let left = AT_BEGINNING;
  const seen = ends.map((piece) => {
    const cut = cutStream(left, piece);
    left = cut.left;
    return cut.isEnd;
  });
  expect(seen).toEqual([false, true, true, true, false, true, false]);
});
