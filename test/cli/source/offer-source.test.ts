import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NOWHERE, run } from '../support/cli.ts';

let root: string;
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'perpetua-offer-'));
});
afterAll(() => rm(root, { recursive: true, force: true }));

async function folderOf(name: string, files: Record<string, string>): Promise<string> {
  const folder = join(root, name);
  await mkdir(folder);
  for (const [path, text] of Object.entries(files)) await writeFile(join(folder, path), text);
  return folder;
}

const runOn = (verb: string, folder: string) =>
  run([verb, folder], { env: { PERPETUA_HOME: '/nonexistent', TEMPORAL_ADDRESS: NOWHERE } });

describe.each(['check', 'start'])('perpetua %s of a folder without task.yaml', (verb) => {
  test('prints the command that makes a task of the program in it', async () => {
    const folder = await folderOf(`program-${verb}`, { 'train.py': 'rate = 0.1\nprint("loss", rate)\n' });
    const { code, stderr } = await runOn(verb, folder);
    expect(code).toBe(2);
    expect(stderr).toContain(`To make a task of the program in ${folder}`);
    expect(stderr).toContain(`npx perpetua start --source ${folder} --run "python3 train.py"`);
  });

  test('prints no such command if it has no file, or a misspelt task.yaml', async () => {
    const empty = await folderOf(`empty-${verb}`, {});
    const misspelt = await folderOf(`misspelt-${verb}`, { 'train.py': 'rate = 0.1\n', 'task.yml': 'name: a\n' });
    for (const folder of [empty, misspelt]) {
      const { code, stderr } = await runOn(verb, folder);
      expect(code).toBe(2);
      expect(stderr).toContain('task.yaml');
      expect(stderr).not.toContain('--source');
    }
  });
});
