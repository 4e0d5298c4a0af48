import { expect, it } from 'vitest';
import { readRequirement, satisfies, versionIn } from '../../../domain/tools/requirement.ts';

it.each([
  ['python3', 'command', 'python3', []],
  ['python3>=3.10', 'command', 'python3', ['>=3.10']],
  ['python3 >= 3.10, <3.14', 'command', 'python3', ['>=3.10', '<3.14']],
  ['nvidia-smi', 'command', 'nvidia-smi', []],
  ['g++>=12', 'command', 'g++', ['>=12']],
  ['import numpy', 'python', 'numpy', []],
])('%s is a requirement', (text, kind, name, bounds) => {
  const read = readRequirement(text);
  expect(read).toMatchObject({ kind, name });
  expect(read?.bounds.map(({ by, version }) => by + version)).toEqual(bounds);
});

it.each([
  '',
  'python3>=',
  'python3>=3.10,',
  'python3~=3.10',
  'a b',
  '/usr/bin/python3',
  'import numpy>=2',
  'import a.b',
])('%j is no requirement', (text) => expect(readRequirement(text)).toBeNull());

it.each([
  ['3.10', '>=3.9', true],
  ['3.9.18', '>=3.10', false],
  ['3.11.7', '==3.11', true],
  ['3.11.7', '<=3.11', true],
  ['3.11.7', '>3.11', false],
  ['3.12.0', '>3.11', true],
  ['3.13.0', '>=3.10,<3.13', false],
  ['3', '>=3.0', true],
])('%s satisfies %s: %s', (version, bounds, expected) => {
  expect(satisfies(version, readRequirement(`p${bounds}`)?.bounds ?? [])).toBe(expected);
});

it.each([
  ['Python 3.12.1', '3.12.1'],
  ['v20.11.0', '20.11.0'],
  ['This is perl 5, version 36, subversion 0 (v5.36.0) built for x86_64', '5.36.0'],
  ['gcc (Debian 12.2.0-14) 12.2.0', '12.2.0'],
  ['no version', null],
])('%j has the version %s', (text, version) => expect(versionIn(text)).toBe(version));
