import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { packageRoot } from '../../config/paths.ts';
import { readCatalog, TEMPLATES } from '../../tasks/catalog.ts';
import { readExploits } from '../../tasks/folder/read-exploits.ts';
import { loadTask } from '../../tasks/load.ts';

const builtin = join(packageRoot(), 'tasks');
const catalog = await readCatalog(builtin);

it('has each task of the repository, and no other', () => {
  const kept = execFileSync('git', ['ls-files', 'tasks/*/task.yaml'], { cwd: packageRoot(), encoding: 'utf8' });
  const names = kept
    .trim()
    .split('\n')
    .map((path) => path.split('/')[1] ?? '');
  expect(Object.keys(catalog).sort()).toEqual(names.filter((name) => !TEMPLATES.includes(name)).sort());
});

it.each(Object.keys(catalog))('%s loads, has a page and a prompt, and exploits of its mutable files', async (name) => {
  const { task, mutablePaths, prompt } = await loadTask(join(builtin, name));
  expect(task.name).toBe(name);
  expect(prompt).not.toBeNull();
  expect(existsSync(join(builtin, name, 'README.md'))).toBe(true);
  const { exploits, problems } = await readExploits(join(builtin, name), mutablePaths);
  expect(problems).toEqual([]);
  const { measured } = catalog[name] ?? {};
  if (measured) expect(exploits).toHaveLength(measured.exploits);
});
