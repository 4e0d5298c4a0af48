import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { removeTree } from '../../infra/files.ts';

const base = mkdtempSync(join(tmpdir(), 'perpetua-files-'));
afterAll(() => execFileSync('rm', ['-rf', base]));

it('removes a tree of three thousand levels, with what lies at its end', async () => {
  const top = join(base, 'deep');
  mkdirSync(top);
  const dig = `for i in 1 2 3 4 5 6; do mkdir -p side ${'n/'.repeat(500)} && cd -P ./${'n/'.repeat(500)}; done; echo x >last`;
  execFileSync('sh', ['-c', dig], { cwd: top });
  await removeTree(top);
  expect(existsSync(top)).toBe(false);
});

it('removes names that are no text, and folders that cannot be read, but nothing that a link leads to', async () => {
  const top = join(base, 'hostile');
  const elsewhere = join(base, 'elsewhere');
  for (const folder of [top, elsewhere, join(top, 'shut')]) mkdirSync(folder);
  writeFileSync(join(elsewhere, 'kept'), '');
  symlinkSync(elsewhere, join(top, 'shut', 'link'));
  writeFileSync(Buffer.concat([Buffer.from(`${top}/`), Buffer.from([0xff, 0xfe])]), '');
  mkdirSync(Buffer.concat([Buffer.from(`${top}/shut/`), Buffer.from([0xff])]));
  chmodSync(join(top, 'shut'), 0);
  await removeTree(top);
  expect(readdirSync(base)).not.toContain('hostile');
  expect(readdirSync(elsewhere)).toEqual(['kept']);
});

it('takes what is not there for removed', async () => {
  await removeTree(join(base, 'nothing'));
  rmSync(join(base, 'elsewhere'), { recursive: true });
});
