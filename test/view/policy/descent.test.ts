import { expect, test } from 'vitest';
import { describeHeirs, describeOrigin } from '../../../view/policy/descent.ts';

test('the origin names the model and each version, the oldest first', () => {
  const ancestors = [
    { research: 'lr-knob', version: 3, checkpoint: '3fa92c1b0a11ffff' },
    { research: 'tuned', version: 0, checkpoint: null },
  ];
  expect(describeOrigin({ model: 'tiny', ancestors })).toBe('tiny → lr-knob@3 (3fa92c1b0a11) → tuned@0');
  expect(describeOrigin({ model: 'tiny', ancestors: [] })).toBe('tiny');
  expect(describeOrigin({ model: null, ancestors: [] })).toBeNull();
});

test('researches that began with a version are listed by version', () => {
  const heirs = [1, 2, 1].map((version, index) => ({ research: `r${index}`, version }));
  expect(describeHeirs({ heirs })).toEqual(['version 1: r0, r2', 'version 2: r1']);
});
