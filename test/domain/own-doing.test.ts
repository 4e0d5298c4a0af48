import { expect, test } from 'vitest';
import { isOwnDoing } from '../../domain/own-doing.ts';

test.each([
  ['more than it may hold', { ownMb: 1025, usedMb: 900_000 }, true],
  ['most of what lies there', { ownMb: 600, usedMb: 1000 }, true],
  ['what it may hold, beside more of others', { ownMb: 1024, usedMb: 900_000 }, false],
  ['nothing', { ownMb: 0, usedMb: 0 }, false],
])('a full disk on which a run has %s is, or is not, its own doing', (_, held, own) => {
  expect(isOwnDoing(held, 1024)).toBe(own);
});
