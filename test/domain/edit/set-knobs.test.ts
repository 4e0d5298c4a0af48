import { expect, test } from 'vitest';
import { applyEdits } from '../../../domain/edit/apply-edits.ts';
import { setKnobs } from '../../../domain/edit/set-knobs.ts';
import type { Knob } from '../../../domain/knob/knob.ts';

const knob = { file: 'k', name: 'LR', type: 'float', range: [0, 1] } as Knob;

test.each([
  ['a byte order mark', '\ufeffLR = 0.1\n', '\ufeffLR = 0.2\n'],
  ['a byte order mark and the same line twice', '\ufeffLR = 0.1\nx\nx\n', '\ufeffLR = 0.2\nx\nx\n'],
  ['line ends of two kinds', 'x\r\nLR = 0.1\r\ny\n', 'x\r\nLR = 0.2\r\ny\n'],
  ['a line that stands for code', '# ... rest unchanged\nLR = 0.1\n', '# ... rest unchanged\nLR = 0.2\n'],
])('a knob is set in a file with %s', (_name, file, expected) => {
  const set = setKnobs([{ knob, value: 0.2 }], { k: file });
  if (!set.ok) return expect.unreachable(set.reason);
  expect(applyEdits({ k: file }, set.edits, ['k'])).toMatchObject({ files: { k: expected } });
});
