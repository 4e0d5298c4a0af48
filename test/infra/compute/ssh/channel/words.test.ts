import { execFileSync, spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { commandLine } from '../../../../../infra/compute/ssh/channel/words.ts';

const TRICKY = [
  'plain',
  '',
  "it's",
  '"$HOME"',
  '`x`',
  '\\0123\\n',
  'a  b',
  '!!',
  'é日',
  'line\nline',
  '%s',
  '-n',
  '*',
  '~',
  '#',
];
const SHELLS = ['sh', 'bash', 'busybox sh', 'zsh', 'csh', 'fish'];

describe.each(SHELLS)('under the login shell %s', (shell) => {
  const [program = '', ...first] = shell.split(' ');
  const there = spawnSync(program, [...first, '-c', 'exit 0']).status === 0;

  it.runIf(there)('every word arrives as it is', () => {
    const script = 'for word in "$@"; do printf "%s\\0" "$word"; done';
    const line = commandLine(['-c', script, 'name', ...TRICKY]);
    const said = execFileSync(program, [...first, '-c', line], { encoding: 'utf8' });
    expect(said.split('\0').slice(0, -1)).toEqual(TRICKY);
  });
});

it('leaves plain words as they are, and refuses what no shell can carry', () => {
  expect(commandLine(['/a/b.sh', 'c-1', 'd'])).toBe('exec /bin/sh /a/b.sh c-1 d');
  expect(() => commandLine(['a\0b'])).toThrow('NUL');
});
