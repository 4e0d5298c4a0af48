import { expect, test } from 'vitest';
import { lookAt, lookOf } from '../../../../dashboard/web/data/look.ts';

const at = (hour: number, minute = 0): Date => new Date(Date.UTC(2026, 10, 30, hour, minute));

test('a new browser has not seen the last 24 hours', () => {
  const look = lookAt(null, at(12));
  expect(look).toEqual({ since: at(-12).toISOString(), looked: at(12).toISOString(), isFirst: true });
});

test('a reload and a second tab keep the mark of the look before, however long the look lasts', () => {
  let look = lookAt({ since: at(0).toISOString(), looked: at(2).toISOString(), isFirst: true }, at(9));
  expect(look).toEqual({ since: at(2).toISOString(), looked: at(9).toISOString(), isFirst: false });
  for (let minute = 0; minute <= 120; minute += 20) look = lookAt(look, at(9, minute));
  expect(look).toMatchObject({ since: at(2).toISOString(), looked: at(11).toISOString() });
});

test('a tab that was hidden overnight begins a new look', () => {
  const evening = lookAt(lookAt(null, at(18)), at(18, 20));
  expect(lookAt(evening, at(33))).toMatchObject({ since: at(18, 20).toISOString(), isFirst: false });
});

test('a stored look that cannot be read counts as none', () => {
  for (const text of [null, '', 'x', '1', '{}', '{"since":"a","looked":"b","isFirst":true}', '[]'])
    expect([text, lookOf(text)]).toEqual([text, null]);
  const look = lookAt(null, at(1));
  expect(lookOf(JSON.stringify(look))).toEqual(look);
});
