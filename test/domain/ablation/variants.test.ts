import { expect, test } from 'vitest';
import { variantsOf } from '../../../domain/ablation/variants.ts';
import { Knob } from '../../../domain/knob/knob.ts';

const KNOBS = ['LR', 'STEPS'].map((name) => Knob.parse({ file: 'a.py', name, type: 'float', range: [0, 100] }));
const original = { 'a.py': 'LR = 0.1\nSTEPS = 10\nrun()\n', 'b.py': 'x\n' };

test('each changed knob is an edit if only values of knobs differ, also on neighbouring lines', () => {
  const edited = { ...original, 'a.py': 'LR = 0.2\nSTEPS = 20\nrun()\n' };
  expect(variantsOf(KNOBS, { original, edited })).toEqual([
    { edit: 'LR 0.1 → 0.2 (a.py)', files: { ...edited, 'a.py': 'LR = 0.1\nSTEPS = 20\nrun()\n' } },
    { edit: 'STEPS 10 → 20 (a.py)', files: { ...edited, 'a.py': 'LR = 0.2\nSTEPS = 10\nrun()\n' } },
  ]);
});

test('each changed hunk of a file is an edit if other text differs', () => {
  const edited = { 'a.py': 'LR = 0.2\nSTEPS = 10\nrun()\nstop()\n', 'b.py': '' };
  expect(variantsOf(KNOBS, { original, edited })).toEqual([
    { edit: 'a.py: line 1', files: { ...edited, 'a.py': 'LR = 0.1\nSTEPS = 10\nrun()\nstop()\n' } },
    { edit: 'a.py: line 4', files: { ...edited, 'a.py': 'LR = 0.2\nSTEPS = 10\nrun()\n' } },
    { edit: 'b.py: 1 line removed before line 1', files: { ...edited, 'b.py': 'x\n' } },
  ]);
});

test('the unmodified version has no edits, and a new and a deleted file are one edit each', () => {
  expect(variantsOf(KNOBS, { original, edited: original })).toEqual([]);
  const edited = { 'a.py': original['a.py'], 'new.py': 'x\n' };
  expect(variantsOf([], { original, edited })).toEqual([
    { edit: 'b.py: deleted', files: { ...edited, 'b.py': 'x\n' } },
    { edit: 'new.py: new file', files: { 'a.py': original['a.py'] } },
  ]);
});
