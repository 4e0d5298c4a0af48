import { expect, test } from 'vitest';
import { ownDoing } from '../../../domain/fault/own-doing.ts';

const NOTHING = { ownMb: 0, usedMb: 0, ownFiles: 0, usedFiles: 0, freeFiles: null };
const LIMITS = { diskMb: 1024, files: 2000 };

test.each([
  ['more than it may hold', { ownMb: 1025, usedMb: 900_000 }, 'room'],
  ['most of what lies there', { ownMb: 600, usedMb: 1000 }, 'room'],
  ['what it may hold, beside more of others', { ownMb: 1024, usedMb: 900_000 }, null],
  ['more files than it may add', { ownFiles: 2001, usedFiles: 900_000, freeFiles: 0 }, 'files'],
  [
    'more files than it may add, where bytes lack',
    { ownFiles: 2001, usedFiles: 900_000, freeFiles: 800_000 },
    'entries',
  ],
  ['most of the files', { ownFiles: 900, usedFiles: 1000, freeFiles: 3 }, 'files'],
  ['the files that it may add, beside more of others', { ownFiles: 2000, usedFiles: 900_000, freeFiles: 0 }, null],
  ['most of the files, where it is not files that lack', { ownFiles: 900, usedFiles: 1000, freeFiles: 10_000 }, null],
  ['most of what lies there, where files lack', { ownMb: 600, usedMb: 1000, usedFiles: 9000, freeFiles: 0 }, null],
  ['nothing', {}, null],
])('a full disk on which a run has %s is, or is not, its own doing', (_, held, own) => {
  expect(ownDoing({ ...NOTHING, ...held }, LIMITS)).toBe(own);
});
