import { expect, test } from 'vitest';
import { splitPutAway, withEntry, withoutEntries } from '../../../../../dashboard/web/parts/state/put-away.ts';
import { titleOf } from '../../../../../dashboard/web/parts/state/title.ts';

const NOW = new Date('2026-11-20T12:00:00Z');
const BEFORE = '2026-11-20T11:00:00.000Z';
const AFTER = '2026-11-20T12:30:00.000Z';
const entry = (key: string, { fingerprint = 'f', at = BEFORE }: { fingerprint?: string; at?: string | null } = {}) => ({
  key,
  fingerprint,
  at,
});
const away = (...keys: string[]): string | null =>
  keys.reduce<string | null>((text, key) => withEntry(text, entry(key), NOW), null);

test('an entry that was put away is hidden until its cause changes, or until it is brought back', () => {
  const entries = [entry('a'), entry('b', { fingerprint: 'other' }), entry('c')];
  expect(splitPutAway(entries, away('a', 'b'))).toEqual({ shown: entries.slice(1), away: [entry('a')] });
  expect(splitPutAway(entries, withoutEntries(away('a', 'b'), [entry('a')])).shown).toEqual(entries);
});

test('an entry that began after it was put away is shown, one of an unknown beginning is not', () => {
  expect(splitPutAway([entry('a', { at: AFTER })], away('a')).shown).toHaveLength(1);
  expect(splitPutAway([entry('a', { at: null })], away('a')).away).toHaveLength(1);
  const early = entry('a', { at: AFTER });
  expect(splitPutAway([early], withEntry(null, early, NOW)).away).toEqual([early]);
});

test('a damaged storage hides nothing, and the storage does not grow without end', () => {
  for (const text of ['{"a":', '{"a":1}', '["a", [1, 2], ["x"]]'])
    expect(splitPutAway([entry('a')], text).shown).toHaveLength(1);
  const text = away(...Array.from({ length: 300 }, (_, n) => `k${n}`));
  expect(JSON.parse(text ?? '')).toHaveLength(200);
  expect(splitPutAway([entry('k0'), entry('k299')], text).away).toEqual([entry('k299')]);
});

test('the title of the tab begins with the number of entries, if there are any', () => {
  expect([titleOf(null, 2), titleOf('nano-lm', 1), titleOf(null, 0)]).toEqual([
    '(2) Perpetua',
    '(1) nano-lm · Perpetua',
    'Perpetua',
  ]);
});
