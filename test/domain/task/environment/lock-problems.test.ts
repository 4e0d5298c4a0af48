import { expect, test } from 'vitest';
import { lockProblems } from '../../../../domain/task/environment/lock-problems.ts';

test('a list with one version of each package is a lock, with hashes or without', () => {
  const lines = [
    '# made by uv pip compile',
    '--index-url https://index.example/simple',
    'numpy==2.2.1 \\',
    '    --hash=sha256:5edb4e4caf751c1518e6a26a83501fda79bff41cc59dac48d70e6d65d4ec4440 \\',
    '    --hash=sha256:aa3017c40d513ccac9621a2364f939d39e550c542eb2a894b4c8da92b38896ab',
    '    # via scikit-learn',
    'jax[cuda12]==0.4.38',
    "colorama==0.4.6 ; sys_platform == 'win32'",
    'torch @ https://index.example/torch-2.6.0-cp311.whl#sha256=ab',
    'six === 1.17.0',
    '',
  ];
  expect(lockProblems(lines.join('\n'))).toEqual([]);
  expect(lockProblems(lines.join('\r\n'))).toEqual([]);
});

test.each([
  'numpy',
  'numpy>=2',
  'numpy==2.*',
  '-r other.txt',
  '-e .',
  './wheel.whl',
  'torch @ file:///w.whl',
  '-c c.txt',
])('a line that means something else elsewhere, or tomorrow, is told: %s', (line) =>
  expect(lockProblems(`six==1.17.0\n${line}\n`)).toEqual([line]),
);
