import { expect, test } from 'vitest';
import { tooLarge } from '../../domain/messages.ts';

const files = (bytes: number) => ({ files: { f: 'ä'.repeat(bytes / 2) } });

test.each([
  [{ task: 'x'.repeat(4096) }, null],
  [{ task: 'x'.repeat(4097) }, 'task: expected a name or a folder of at most 4096 characters, came 4097'],
  [files(2 ** 20), null],
  [files(2 * 2 ** 20 - 4096), 'expected at most 2093056 bytes in all, came 2093074'],
])('a message is as large as an activity may take it, in bytes (%#)', (args, why) => {
  expect(tooLarge(args)).toBe(why);
});
