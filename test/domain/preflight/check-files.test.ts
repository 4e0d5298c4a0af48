import { expect, test } from 'vitest';
import { checkFiles } from '../../../domain/preflight/check-files.ts';

const none = { forbidden: [] };

test('files of exactly the limit pass, and one byte more is blocked, counted in UTF-8 over all files', () => {
  const files = { 'a.py': 'é', 'b.py': 'xy' };
  expect(checkFiles(files, { ...none, maxBytes: 4 })).toBeNull();
  expect(checkFiles(files, { ...none, maxBytes: 3 })).toEqual({
    label: 'size-blocked',
    message: 'expected at most 3 bytes in the mutable files together (preflight.maxBytes), got 4',
  });
});

test.each([
  ['x = eval(y)', 'eval'],
  ['# eval', 'eval'],
  ['import os.path', 'os.path'],
  ['reeval = evaluate; eval', 'eval'],
  ['a $b', '$b'],
  ['größe = 1', 'größe'],
])('a forbidden name is found as a whole word: %s', (line, name) => {
  expect(checkFiles({ 'lib/a.py': `\n${line}\n` }, { forbidden: ['zzz', name] })).toEqual({
    label: 'forbidden-name',
    message: `expected no ${JSON.stringify(name)} (preflight.forbidden), found it in lib/a.py, line 2`,
  });
});

test.each(['evaluate', 're_eval', 'eval2', 'évaleval'])('a forbidden name is not found within %s', (word) => {
  expect(checkFiles({ 'a.py': word }, { forbidden: ['eval'] })).toBeNull();
});
