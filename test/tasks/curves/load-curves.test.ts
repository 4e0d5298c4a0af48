import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const LOADER = fileURLToPath(new URL('../../../tasks/curves/load-curves.ts', import.meta.url));
const PROGRAM = `import(${JSON.stringify(LOADER)})
  .then(({ loadCurves }) => loadCurves('-'))
  .then((read) => console.log(JSON.stringify(read)), ({ message }) => console.log(message))`;

/** Loads in a process of its own, which has a standard input of its own. */
const load = (input: string): string =>
  execFileSync(process.execPath, ['--import', 'tsx', '-e', PROGRAM], { input, encoding: 'utf8' });

test('a dash stands for the curves of the standard input', () => {
  const val = Array.from({ length: 21 }, (_, i) => [5 * i, 3 - i / 10]);
  const line = JSON.stringify({ track: 't', group: 'g', run: 'r', steps: 100, val, train: [] });
  expect(JSON.parse(load(line))).toMatchObject({ curves: [{ final: 1 }], tracks: ['t'] });
  expect(load('')).toContain('Expected a file of curves at -, came an empty one');
});
