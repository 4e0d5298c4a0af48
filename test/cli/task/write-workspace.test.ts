import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { writeWorkspace } from '../../../cli/task/write-workspace.ts';

const base = mkdtempSync(join(tmpdir(), 'perpetua-workspace-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const files = [{ path: 'src/deep/a.py', content: Buffer.from('x'), executable: false }];

it('makes missing folders', async () => {
  const out = join(base, 'not', 'there');
  expect(await writeWorkspace(out, files)).toEqual(['src/deep/a.py']);
  expect(readFileSync(join(out, 'src/deep/a.py'), 'utf8')).toBe('x');
});

it.each(['/proc/x', '/proc/x/y', '/proc/self/x'])('refuses %s, where no folder can be made', async (out) => {
  await expect(writeWorkspace(out, files)).rejects.toMatchObject({
    code: 'refused',
    message: expect.stringMatching(/^Cannot make the folder \/proc\/.*x \(/) as string,
  });
});

it('refuses a file, a path below a file, and a link that leads nowhere', async () => {
  writeFileSync(join(base, 'file'), '');
  symlinkSync(join(base, 'nowhere', 'at-all'), join(base, 'link'));
  await expect(writeWorkspace(join(base, 'file'), files)).rejects.toThrow('Expected a folder, ');
  await expect(writeWorkspace(join(base, 'file', 'x', 'y'), files)).rejects.toThrow('Expected a folder, ');
  await expect(writeWorkspace(join(base, 'link'), files)).rejects.toThrow('Cannot make');
});
