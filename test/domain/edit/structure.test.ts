import { expect, test } from 'vitest';
import { structureContent } from '../../../domain/edit/structure.ts';
import type { Knob } from '../../../domain/knob/knob.ts';

const knobs: Knob[] = [
  { file: 'a.py', name: 'LR', type: 'float', range: [0, 1], scale: 'linear' },
  { file: 'a.py', name: 'OPT', type: 'choice', values: ['sgd', 'adam'] },
];
const files = { 'a.py': "LR = 0.1\nOPT = 'sgd'\nWIDTH = 3\n", 'b.py': 'B = 1\n' };
const structure = (more: Record<string, string>): string => structureContent(knobs, { ...files, ...more });

test('other values of knobs have the same structure, in any order of the files', () => {
  expect(structure({ 'a.py': "LR = 0.25e-3\nOPT = 'adam'\nWIDTH = 3\n" })).toBe(structure({}));
  expect(structureContent(knobs, { 'b.py': files['b.py'], 'a.py': files['a.py'] })).toBe(structure({}));
});

test.each([
  ['a literal that is no knob', { 'a.py': files['a.py'].replace('3', '4') }],
  ['another file', { 'b.py': 'B = 2\n' }],
  ['a file more', { 'c.py': '' }],
  ['a knob that became an expression', { 'a.py': files['a.py'].replace('0.1', '0.1 * 2') }],
  ['a knob that is assigned twice', { 'a.py': `${files['a.py']}LR = 0.2\n` }],
])('%s is another structure', (_, more) => {
  expect(structure(more)).not.toBe(structure({}));
});
