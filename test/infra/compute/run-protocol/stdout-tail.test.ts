import { expect, test } from 'vitest';
import { STDOUT_BYTES, wholeLines } from '../../../../infra/compute/run-protocol/stdout-tail.ts';

const tailOf = (text: string): string => wholeLines(Buffer.from(text).subarray(-STDOUT_BYTES));
const x = 'x'.repeat(65_536);

test.each([
  ['all of it where it is short', 'a\nb', 'a\nb'],
  ['all of it where it just fits', `${x.slice(2)}\nb`, `${x.slice(2)}\nb`],
  ['no line whose beginning is missing', `loss: 1${x}loss: 2\nend\n`, 'end\n'],
  ['the first one where the byte before ended another', `loss: 1\n${x.slice(1)}\n`, `${x.slice(1)}\n`],
  ['what follows a carriage return', `${x}\rloss: 2\r`, 'loss: 2\r'],
  ['what follows a code that ends a line', `${x}\x1b[2K\x1b[Gloss: 2`, '\x1b[Gloss: 2'],
  ['nothing of one line that is too long', `${x}x`, ''],
  ['whole characters', `日${'本'.repeat(21_845)}\n日本`, '日本'],
])('leaves %s', (_, text, left) => expect(tailOf(text)).toBe(left));

test('codes of one byte are there as such', () => {
  expect(wholeLines(Buffer.from([0x61, 0x9b, 0x6d, 0x0a]))).toBe('a\u009bm\n');
});
