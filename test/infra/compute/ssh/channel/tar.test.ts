import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { tarOf } from '../../../../../infra/compute/ssh/channel/tar.ts';

const base = mkdtempSync(join(tmpdir(), 'perpetua-tar-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const FILES = [
  { path: 'a', content: Buffer.from('') },
  { path: "with blanks and 'quotes' é", content: Buffer.from('x') },
  { path: '-rf', content: Buffer.alloc(512, 'b') },
  { path: `deep/${'long-name/'.repeat(20)}file`, content: Buffer.alloc(100_000, 'c'), mode: 0o755 },
];

describe.each([['tar'], ['busybox', 'tar']])('%s %s', (...words) => {
  const [program = '', ...first] = words.filter(Boolean);
  const there = spawnSync(program, [...first, '--help']).error === undefined;

  it.runIf(there)('unpacks an archive of tarOf()', () => {
    const folder = mkdtempSync(join(base, 'out-'));
    execFileSync(program, [...first, '-xof', '-', '-C', folder], { input: Buffer.concat([...tarOf(FILES)]) });
    for (const { path, content, mode = 0o644 } of FILES) {
      expect(readFileSync(join(folder, path)).equals(content)).toBe(true);
      expect(statSync(join(folder, path)).mode & 0o100).toBe(mode & 0o100);
    }
    expect(readdirSync(folder)).toContain('whole');
  });
});

it.each(['../x', '/x', 'a\nb', 'a\tb', '', 'a//b'])('refuses the path %j', (path) => {
  expect(() => [...tarOf([{ path, content: Buffer.alloc(0) }])]).toThrow('file path');
});
