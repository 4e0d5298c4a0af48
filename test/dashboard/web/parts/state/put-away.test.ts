import { expect, test } from 'vitest';
import { splitPutAway, withName, withoutNames } from '../../../../../dashboard/web/parts/state/put-away.ts';
import { titleOf } from '../../../../../dashboard/web/parts/state/title.ts';

const entry = (key: string, fingerprint = 'f') => ({ key, fingerprint });

test('an entry that was put away is hidden until its cause changes, or until it is brought back', () => {
  const text = withName(withName(null, entry('a')), entry('b'));
  const entries = [entry('a'), entry('b', 'other'), entry('c')];
  expect(splitPutAway(entries, text)).toEqual({ shown: [entry('b', 'other'), entry('c')], away: [entry('a')] });
  expect(splitPutAway(entries, withoutNames(text, [entry('a')])).shown).toEqual(entries);
});

test('a damaged storage hides nothing, and the storage does not grow without end', () => {
  expect(splitPutAway([entry('a')], '{"a":').shown).toHaveLength(1);
  expect(splitPutAway([entry('a')], '{"a":1}').shown).toHaveLength(1);
  let text: string | null = null;
  for (let n = 0; n < 300; n += 1) text = withName(text, entry(`k${n}`));
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
