import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleWorkflowCode, Worker } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contentsOf, lineOf, type Recorded } from '../../bench/histories/contents.ts';
import { KEPT_HISTORIES } from '../../bench/histories/kept-histories.ts';
import { packageRoot } from '../../config/paths.ts';
import { FLOOR } from '../../domain/floor/floor.ts';

const folder = join(packageRoot(), 'test/histories');
const files = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.json')) : [];
const recorded = (name: string): Recorded => JSON.parse(readFileSync(join(folder, name), 'utf8')) as Recorded;
const contents = new Map(files.map((name) => [name, contentsOf(recorded(name))]));

const replay = async (code: string, name: string): Promise<void> => {
  const { workflowId, history } = recorded(name);
  await Worker.runReplayHistory({ workflowBundle: { code } }, history, workflowId);
};

/** Activities and timers of a workflow, in their order. */
const stepsOf = ({ history: { events } }: Recorded): string =>
  events
    .flatMap(({ eventType, activityTaskScheduledEventAttributes: activity }) => {
      if (eventType === 'EVENT_TYPE_TIMER_STARTED') return ['timer'];
      return activity ? [activity.activityType.name] : [];
    })
    .join(' ');

/** The bundles that workers load: trials have one of their own. */
const bundleOf = async (root: string, workflows: 'index' | 'trial'): Promise<string> => {
  const at = (name: string): string => join(root, 'workflows', `${name}.ts`);
  const bundle = await bundleWorkflowCode({
    workflowsPath: at(workflows),
    payloadConverterPath: at('payload-converter'),
    workflowInterceptorModules: [at('interceptors')],
  });
  return bundle.code;
};

/** Patches that workflow code uses. */
const usedPatches = (): string[] => {
  const at = join(packageRoot(), 'workflows');
  const sources = readdirSync(at, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  const found = sources.flatMap((path) => [
    ...readFileSync(join(at, path), 'utf8').matchAll(/\bpatched\(\s*'([^']+)'/g),
  ]);
  return [...new Set(found.map(([, id]) => id ?? ''))].sort();
};

/**
 * Skips the tests, with the reason, until the release records histories. `test/e2e/shared/replay.ts` replays the
 * histories of other tests at any time.
 */
const describeRecorded = (title: string, tests: () => void): void => {
  if (files.length > 0) describe(title, tests);
  else describe.skip(`${title} (no history of 0.${FLOOR} is recorded until its release)`, tests);
};

describeRecorded('recorded histories', () => {
  let codes: { index: string; trial: string };
  beforeAll(async () => {
    codes = { index: await bundleOf(packageRoot(), 'index'), trial: await bundleOf(packageRoot(), 'trial') };
  });

  test('are the kept ones, each with the commands, messages and patches that their list says', () => {
    expect(files.map((name) => name.replace('.json', '')).sort()).toEqual(Object.keys(KEPT_HISTORIES).sort());
    const lines = readFileSync(join(folder, 'contents.txt'), 'utf8').trimEnd().split('\n');
    const found = [...contents].map(([name, content]) => lineOf(name, content));
    expect(found.sort()).toEqual(lines.sort());
  });

  test.each([
    ['plain-trial', /^launch monitor$/],
    ['lost-twice-trial', /^launch monitor launch monitor abandon$/],
    ['launch-failed-trial', /^(launch start timer ){6}launch start alert timer launch monitor$/],
    // Offers of a host that is in quarantine lapse.
    [
      'moved-in-setup-trial',
      /^(launch start timer )*launch prepare (launch start timer )*launch prepare start monitor$/,
    ],
    ['refused-for-good-trial', /^(launch prepare timer ){2}launch prepare abandon$/],
  ])('%s took the steps of its name', (name, steps) => {
    expect(stepsOf(recorded(`${name}.json`))).toMatch(steps);
  });

  test('have together each patch of the workflows, and none that the workflows no longer have', () => {
    const patches = new Set([...contents.values()].flatMap((content) => content.patches));
    expect([...patches].sort()).toEqual(usedPatches());
  });

  test.each(files)('%s replays on the code as it is', async (name) => {
    await replay(name.includes('-trial') ? codes.trial : codes.index, name);
  });
});

test.skipIf(files.length > 0)('if no history is recorded, workflows change freely, without patches', () => {
  expect(usedPatches()).toEqual([]);
});

describeRecorded('a deliberate change of order turns the replay red', () => {
  let changed: string;
  beforeAll(async () => {
    changed = await mkdtemp(join(tmpdir(), 'perpetua-swapped-'));
    for (const name of ['domain', 'view', 'workflows', 'activities', 'db', 'infra', 'tasks', 'package.json'])
      await cp(join(packageRoot(), name), join(changed, name), { recursive: true });
    await symlink(join(packageRoot(), 'node_modules'), join(changed, 'node_modules'));
  });
  afterAll(() => rm(changed, { recursive: true, force: true }));

  test.each([
    {
      workflow: 'a trial that follows its run before it launches it',
      file: 'place-job.ts',
      bundle: 'trial' as const,
      history: 'plain-trial.json',
      swap: /( {4}const result = [^]*?\n {4}\}\n)( {4}const followed = await follow\(.*\n)/,
    },
    {
      workflow: 'a trial that waits before it alerts people to launches that fail',
      file: 'place-job.ts',
      bundle: 'trial' as const,
      history: 'launch-failed-trial.json',
      swap: /( {4}if \(failures === TELL_AFTER_LAUNCHES\) await .*\n)( {4}await sleep\(relaunchAfter\(.*\n)/,
    },
    {
      workflow: 'a trial that does not wait after a refusal',
      file: 'place-job.ts',
      bundle: 'trial' as const,
      history: 'refused-for-good-trial.json',
      swap: /( {6}if \(result\.refusal\) await sleep\(.*\n)( {6}continue;\n)/,
    },
    {
      workflow: 'a trial that starts on its host before it prepares it',
      file: 'place-job.ts',
      bundle: 'trial' as const,
      history: 'moved-in-setup-trial.json',
      swap: /( {4}const prepared = await prepare\(.*\n.*\n)( {4}const started = await start\(.*\n)/,
    },
    {
      workflow: 'a research that publishes its phase before it starts trials',
      file: 'research.ts',
      bundle: 'index' as const,
      history: 'plain.json',
      swap: /( {4}const started = await startTrials\(state\);\n.*\n)( {4}await publish\(state\);\n)/,
    },
  ])('of $workflow', async ({ file, bundle, history, swap }) => {
    const path = join(changed, 'workflows', file);
    const source = await readFile(join(packageRoot(), 'workflows', file), 'utf8');
    expect(source).toMatch(swap);
    await writeFile(path, source.replace(swap, '$2$1'));
    await expect(replay(await bundleOf(changed, bundle), history)).rejects.toThrow(DeterminismViolationError);
    await writeFile(path, source);
  });
});
