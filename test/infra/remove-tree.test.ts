import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, it, vi } from 'vitest';
import { packageRoot } from '../../config/paths.ts';
import { removeTree } from '../../infra/remove-tree.ts';
import { noBusybox } from '../support/machine/busybox.ts';

const base = mkdtempSync(join(tmpdir(), 'perpetua-files-'));
afterAll(() => execFileSync('rm', ['-rf', base]));

const levels = 'n/'.repeat(500);
const dig = `for i in 1 2 3 4 5 6; do mkdir -p side ${levels} && cd -P ./${levels}; done; echo x >last`;

it('removes a tree of three thousand levels, with the file at its end', async () => {
  const top = join(base, 'deep');
  mkdirSync(top);
  execFileSync('sh', ['-c', dig], { cwd: top });
  await removeTree(top);
  expect(existsSync(top)).toBe(false);
});

it('removes names that are no text, and unreadable folders, but no target of a link', async () => {
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

it('removes folders whose list of names does not fit in memory', async () => {
  const top = join(base, 'crowded');
  mkdirSync(join(top, 'in'), { recursive: true });
  writeFileSync(join(top, 'file'), '');
  for (let n = 0; n < 60_000; n += 1)
    linkSync(join(top, 'file'), join(top, 'in', `a-name-of-some-length-for-the-link-${n}`));
  const script = pathToFileURL(join(packageRoot(), 'dist/infra/remove-tree.js')).href;
  const program = `const { removeTree } = await import(process.argv[1]); await removeTree(process.argv[2]);`;
  const words = ['--max-old-space-size=10', '--input-type=module', '-e', program, script, top];
  expect(spawnSync(process.execPath, words, { encoding: 'utf8' })).toMatchObject({ status: 0, stderr: '' });
  expect(existsSync(top)).toBe(false);
});

/** Does the work with these programs first on the PATH. */
async function withPrograms(programs: Record<string, string>, work: () => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(base, 'programs-'));
  for (const [name, text] of Object.entries(programs)) writeFileSync(join(folder, name), text, { mode: 0o755 });
  vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`);
  try {
    await work();
  } finally {
    vi.unstubAllEnvs();
  }
}

it.skipIf(noBusybox !== undefined)(`removes a tree deeper than the rm of busybox can ${noBusybox ?? ''}`, async () => {
  const top = join(base, 'deeper');
  mkdirSync(top);
  execFileSync('sh', ['-c', dig], { cwd: top });
  const busybox = (name: string): string => `#!/bin/sh\nexec busybox ${name} "$@"\n`;
  await withPrograms({ rm: busybox('rm'), chmod: busybox('chmod') }, () => removeTree(top));
  expect(existsSync(top)).toBe(false);
});

it('removes a tree once if two removals are requested at once', async () => {
  const [top, log] = [join(base, 'twice'), join(base, 'removals')];
  mkdirSync(top);
  await withPrograms({ rm: `#!/bin/sh\necho removal >>'${log}'\nexec /bin/rm "$@"\n` }, async () => {
    await Promise.all([removeTree(top), removeTree(top)]);
    expect(readFileSync(log, 'utf8')).toBe('removal\n');
    mkdirSync(top);
    await removeTree(top);
  });
  expect(existsSync(top)).toBe(false);
  rmSync(log);
});

it('fails if descriptors run out, and does not end its process', () => {
  const script = pathToFileURL(join(packageRoot(), 'dist/infra/remove-tree.js')).href;
  const program = `
    import { openSync } from 'node:fs';
    const { removeTree } = await import(process.argv[1]);
    try { for (;;) openSync('/dev/null'); } catch {}
    await removeTree('/nonexistent').catch((error) => (process.exitCode = error.code === 'EMFILE' ? 7 : 8));`;
  const words = ['-c', 'ulimit -n 64; exec "$@"', 'sh', process.execPath, '--input-type=module', '-e', program, script];
  expect(spawnSync('/bin/sh', words, { encoding: 'utf8' })).toMatchObject({ status: 7, stderr: '' });
});

it('reports the folder that it cannot remove, with the reason', async () => {
  const top = join(base, 'stays');
  mkdirSync(top);
  await withPrograms({ rm: '#!/bin/sh\necho "it is stuck" >&2\nexit 1\n' }, async () => {
    await expect(removeTree(top)).rejects.toThrow(`${top}: expected rm -rf to remove it; it says: it is stuck`);
  });
});

it('does nothing for a folder that does not exist', async () => {
  await removeTree(join(base, 'nothing'));
  rmSync(join(base, 'elsewhere'), { recursive: true });
});
