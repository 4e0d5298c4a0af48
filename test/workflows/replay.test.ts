import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleWorkflowCode, Worker } from '@temporalio/worker';
import { beforeAll, describe, expect, test } from 'vitest';
import { packageRoot } from '../../config/paths.ts';

const folder = join(packageRoot(), 'test/histories');
const files = readdirSync(folder).filter((name) => name.endsWith('.json'));

interface Recorded {
  workflowId: string;
  history: unknown;
}

/** Whether an ordinary activity admits in it. */
const admits = (name: string): boolean =>
  readFileSync(join(folder, name), 'utf8').includes('"activityType":{"name":"admit"}');

const replay = async (code: string, name: string): Promise<void> => {
  const { workflowId, history } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Recorded;
  await Worker.runReplayHistory({ workflowBundle: { code } }, history, workflowId);
};

/** The bundles that workers load: trials have one of their own. */
const bundleOf = async (root: string, workflows: 'index' | 'trial'): Promise<string> => {
  const at = (name: string): string => join(root, 'workflows', `${name}.ts`);
  const bundle = await bundleWorkflowCode({
    workflowsPath: at(workflows),
    payloadConverterPath: at('payload-converter'),
    workflowInterceptorModules: [at('reserved-names')],
  });
  return bundle.code;
};

describe('recorded histories', () => {
  let codes: { index: string; trial: string };
  beforeAll(async () => {
    codes = { index: await bundleOf(packageRoot(), 'index'), trial: await bundleOf(packageRoot(), 'trial') };
  });

  test('there is one for each way a research goes', () => {
    for (const way of ['plain', 'paused', 'changed-task', 'continued-as-new', 'stopped', 'restarted'])
      expect(files.filter((name) => name.startsWith(way))).not.toEqual([]);
  });

  test('there is one for each way of a research whose admissions are ordinary activities', () => {
    for (const way of ['plain', 'paused', 'changed-task', 'continued-as-new', 'handed-over', 'stopped', 'restarted'])
      expect(
        files.filter((name) => name.startsWith(way) && admits(name)),
        way,
      ).not.toEqual([]);
  });

  test.each(files)('%s replays on the code as it is', async (name) => {
    await replay(name.includes('-trial-') ? codes.trial : codes.index, name);
  });

  test('a deliberate change of order turns the replay red', async () => {
    const changed = await mkdtemp(join(tmpdir(), 'perpetua-swapped-'));
    try {
      for (const name of ['domain', 'workflows', 'activities', 'db', 'infra', 'tasks', 'package.json'])
        await cp(join(packageRoot(), name), join(changed, name), { recursive: true });
      await symlink(join(packageRoot(), 'node_modules'), join(changed, 'node_modules'));
      const file = join(changed, 'workflows/trial.ts');
      const source = await readFile(file, 'utf8');
      const swapped = source.replace(
        /( {4}const placing = [^]*?\n {4}\}\n)( {4}const followed = await monitor\(.*\n)/,
        '$2$1',
      );
      expect(swapped).not.toBe(source);
      await writeFile(file, swapped);
      const code = await bundleOf(changed, 'trial');
      const trial = files.find((name) => name.startsWith('plain-trial-')) ?? '';
      await expect(replay(code, trial)).rejects.toThrow(/TMPRL1100|[Nn]ondeterminism/);
    } finally {
      await rm(changed, { recursive: true, force: true });
    }
  });
});
