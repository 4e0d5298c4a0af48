import { expect, it, test } from 'vitest';
import { parseSetOptions } from '../../../cli/arguments/parse-set-options.ts';
import { readOverrideOptions } from '../../../cli/arguments/read-override-options.ts';
import { readPreset } from '../../../cli/arguments/read-preset.ts';
import { PRESETS } from '../../../domain/task/presets.ts';
import { TASK } from '../support/lineage.ts';

test('values are read as YAML, by the keys of the task', () => {
  const sets = [
    'search.parent=best',
    'search.window=3',
    'abort.audit.first=2',
    'search.proposer={name: random}',
    'abort.audit.share=.5',
  ];
  expect(parseSetOptions(sets)).toEqual({
    search: { parent: 'best', window: 3, proposer: { name: 'random' } },
    abort: { audit: { first: 2, share: 0.5 } },
  });
});

test.each([
  'parent=best',
  'search=best',
  'search.parent',
  '=best',
  'search..parent=best',
  'run.command=true',
  'search.parent={',
])('an option that names no value of the method is refused: %s', (text) => {
  expect(() => parseSetOptions([text])).toThrow(/^--set .*: expected /);
});

test('the section nearest to a misspelt one is suggested', () => {
  expect(() => parseSetOptions(['serach.parent=best'])).toThrow(
    /^--set serach\.parent=best: .*; did you mean search\?$/,
  );
});

test.each([
  ['search.parent=best', 'search.parent=lead'],
  ['search.parent=best', 'search.parent=best'],
  ['search.proposer={name: random}', 'search.proposer.among=2'],
  ['abort.audit.first=2', 'abort.audit={first: 3}'],
])('a value that is given twice is refused: %s, %s', (one, two) => {
  expect(() => parseSetOptions([one, 'search.window=3', two])).toThrow(
    `Expected --set to give each value once, got ${JSON.stringify(one)} and ${JSON.stringify(two)}; leave one out.`,
  );
});

it('a preset is known by its name', () => {
  expect(readPreset('grpo')).toBe(PRESETS.grpo);
});

it('an unknown name is refused with the known ones and the nearest of them', () => {
  const read = () => readPreset('sdpo-single');
  expect(read).toThrow(`Expected --preset to be one of ${Object.keys(PRESETS).join(', ')}, got "sdpo-single"`);
  expect(read).toThrow(/ sdpo-ckpt-single, got "sdpo-single"; did you mean sdpo-?.*\?$/);
  expect(() => readPreset('toString')).toThrow(/got "toString"\.$/);
});

test('a preset that trains its proposer takes one from --proposer; without it, the refusal names that option', () => {
  const range: [number, number] = [0, 1];
  const knob = { file: 'train.mjs', name: 'LR', type: 'float' as const, range, scale: 'linear' as const };
  const task = { ...TASK, knobs: [knob] };
  expect(readOverrideOptions({ preset: 'grpo', proposer: 'policy' }, task)).toEqual({
    search: { ...PRESETS.grpo?.overrides.search, proposer: 'policy' },
  });
  const untrained = PRESETS['sdpo-ckpt-single']?.overrides;
  expect(readOverrideOptions({ preset: 'sdpo-ckpt-single', proposer: 'policy' }, task)).toEqual(untrained);
  expect(() => readOverrideOptions({ preset: 'grpo' }, task)).toThrow(
    /^Expected a proposer with weights, since search.update trains it, got auto; pass --proposer policy\.$/,
  );
});
