import { expect, it } from 'vitest';
import { readPreset } from '../../../cli/arguments/read-preset.ts';
import { PRESETS } from '../../../domain/task/presets.ts';

it('a preset is known by its name', () => {
  expect(readPreset('grpo')).toBe(PRESETS.grpo);
});

it('another name is refused with those that are known and the nearest of them', () => {
  expect(() => readPreset('sdpo-single')).toThrow(
    /^Expected --preset to be one of grpo, sdpo, ppo, icl-through-trainer, sdpo-ckpt-single, came "sdpo-single"; did you mean sdpo-?.*\?$/,
  );
  expect(() => readPreset('toString')).toThrow(/came "toString"\.$/);
});
