import { execFileSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { packageRoot } from '../../config/paths.ts';

/** A clone as small as a build can be. */
let clone: string;
beforeAll(async () => {
  clone = await mkdtemp(join(tmpdir(), 'perpetua-build-'));
  for (const name of ['scripts', 'tsconfig.json', 'package.json', 'package-lock.json'])
    await cp(join(packageRoot(), name), join(clone, name), { recursive: true });
  await symlink(join(packageRoot(), 'node_modules'), join(clone, 'node_modules'));
  await mkdir(join(clone, 'workflows'));
  for (const name of ['workflows/index.ts', 'workflows/trial.ts'])
    await writeFile(join(clone, name), 'export const one = async (): Promise<number> => 1;\n');
  const converter = `export { defaultPayloadConverter as payloadConverter } from '@temporalio/common';\n`;
  await writeFile(join(clone, 'workflows/payload-converter.ts'), converter);
  await writeFile(join(clone, 'workflows/reserved-names.ts'), 'export const interceptors = () => ({});\n');
});
afterAll(() => rm(clone, { recursive: true, force: true }));

const built = () =>
  execFileSync(process.execPath, ['-e', `import('./scripts/lib.mjs').then(({ buildTold }) => buildTold())`], {
    cwd: clone,
    encoding: 'utf8',
  })
    .trim()
    .split('\n');

test('a build tells each long step before it begins, and is silent where nothing changed', () => {
  const [compiling, bundling, ...rest] = built();
  expect(compiling).toBe('· compiling 4 files');
  expect(bundling).toBe('· bundling the workflows');
  expect(rest.at(-1)).toMatch(/^✓ built 4 of 4 files and the workflow bundles in [\d.]+ s$/);
  expect(built()).toEqual(['✓ build is current']);
});
