import { expect, test } from 'vitest';
import { findLaunched, translateLaunched } from '../../../domain/tools/launcher.ts';
import { isLauncherFailure, launcherAdvice } from '../../../domain/tools/launcher-advice.ts';

const translate = (command: string): unknown => findLaunched(command).map(translateLaunched);
const plain = (command: string) => ({ command, python: null, environment: null });

test.each([
  ['uv run train.py --lr 1', plain('python train.py --lr 1')],
  ['A=1 B="x y" time uv run -q --frozen python3 train.py', plain('python3 train.py')],
  ['uv run -p 3.11 -m pkg.train', { ...plain('python -m pkg.train'), python: '3.11' }],
  ['uv run -- torchrun train.py', plain('torchrun train.py')],
  ['python -m poetry run python train.py', plain('python train.py')],
  ['conda run -n x python train.py', { ...plain('python train.py'), environment: 'x' }],
  ['pixi run --environment=gpu python train.py', { ...plain('python train.py'), environment: 'gpu' }],
])('%s is translated', (command, translated) => expect(translate(command)).toEqual([translated]));

test('each part of a shell line is found, and a program with such a name elsewhere is not', () => {
  expect(findLaunched('cd src && uv run a.py | tee log; pdm run b').map(({ text }) => text)).toEqual([
    'uv run a.py',
    'pdm run b',
  ]);
  expect(findLaunched('python3 train.py uv run x; ./uv run y; uvicorn run')).toEqual([]);
});

test.each(['uv run --with rich a.py', 'uv run --group dev a.py', 'uv run -', 'uvx ruff', 'uv tool run ruff', 'uv run'])(
  '%s has no translation',
  (command) => expect(translate(command)).toEqual([expect.any(String)]),
);

test('the advice names environment, the lock, and the command without its launcher', () => {
  expect(launcherAdvice('uv run train.py', { pythons: ['3.10'], script: null })).toContain(
    "set  environment: { python: '3.10', lock: uv.lock }  and the command  python train.py. `uv lock` writes",
  );
  const none = { pythons: [], script: null };
  expect(launcherAdvice('uv run a.py', { pythons: [], script: 'a.py' })).toMatch(
    /lock: requirements\.lock \} .* a\.py declares its own packages: `uv export --script a\.py -o requirements\.lock`/,
  );
  const byPoetry = launcherAdvice('poetry run python train.py', none);
  expect(byPoetry).toMatch(/ {2}python train\.py, and under run {2}path/);
  expect(launcherAdvice('python3 train.py', none)).toBeNull();
});

test('a launcher that is missing or cannot install is told from a program that fails', () => {
  expect(isLauncherFailure('/bin/sh: 1: uv: not found', 'uv')).toBe(true);
  expect(isLauncherFailure('error: Failed to download `tabulate==0.9.0`\n  cause: dns error', 'uv')).toBe(true);
  expect(isLauncherFailure('Traceback (most recent call last):\nValueError: no', 'uv')).toBe(false);
});
