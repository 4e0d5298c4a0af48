import { expect, test } from 'vitest';
import { describeOwnSettings } from '../../../view/rows/own-settings.ts';
import { statusRows } from '../../../view/rows.ts';

test("a research's own settings are named with their values, settings of a method in JSON", () => {
  const overrides = { search: { parent: 'best', proposer: { name: 'random' } }, keep: { falseKeepsPer200: 0.1 } };
  const text = 'search.parent=best, search.proposer={"name":"random"}, keep.falseKeepsPer200=0.1';
  expect(describeOwnSettings(overrides)).toBe(text);
  expect(statusRows({ own: { overrides, settingsHash: 'a' } })).toEqual([['set', text]]);
});

test('a research that goes by its task has no such row', () => {
  expect(describeOwnSettings({})).toBeNull();
  expect(statusRows({ own: { overrides: {}, settingsHash: 'a' } })).toEqual([]);
});
