import { execFileSync, spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { shellCommand } from '../../../../../infra/compute/ssh/channel/shell-command.ts';
import { frameReader } from '../../../../../infra/compute/ssh/channel/frames.ts';

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

  it.runIf(there)('every word arrives unchanged', () => {
    const script = 'for word in "$@"; do printf "%s\\0" "$word"; done';
    const line = shellCommand(['-c', script, 'name', ...TRICKY]);
    const output = execFileSync(program, [...first, '-c', line], { encoding: 'utf8' });
    expect(output.split('\0').slice(0, -1)).toEqual(TRICKY);
  });
});

it('leaves plain words as they are, and refuses what no shell can carry', () => {
  expect(shellCommand(['/a/b.sh', 'c-1', 'd'])).toBe('exec /bin/sh /a/b.sh c-1 d');
  expect(() => shellCommand(['a\0b'])).toThrow('NUL');
});

describe('frames', () => {
  const TEXT = 'noise\nMARK and MARKMAR\nMARK\nout 3 7 0\na\nbdone 0 \nbig 0 x\n';
  const said = (frames: ReturnType<ReturnType<typeof frameReader>['push']>) =>
    frames.map(({ type, words, payload }) => [type, words, payload.toString()]);

  it.each([1, 2, 3, 5, 1000])('reads frames after the mark, in pieces of %i bytes', (size) => {
    const reader = frameReader('MARK');
    const bytes = Buffer.from(TEXT);
    const frames = [];
    for (let at = 0; at < bytes.length; at += size) frames.push(...reader.push(bytes.subarray(at, at + size)));
    expect(said(frames)).toEqual([
      ['out', ['7', '0'], 'a\nb'],
      ['done', [], ''],
      ['big', ['x'], ''],
    ]);
  });

  it('refuses text that is no frame, and noise without end', () => {
    expect(() => frameReader('MARK').push(Buffer.from('MARK\nhello there\n'))).toThrow('TYPE LENGTH');
    expect(() => frameReader('MARK').push(Buffer.from(`MARK\n${'x'.repeat(5000)}`))).toThrow('expected a line');
    expect(() => frameReader('MARK').push(Buffer.alloc(2_000_000, 'y\n'))).toThrow('login shell');
  });
});
