import { MockActivityEnvironment } from '@temporalio/testing';
import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import type { ActivityDeps } from '../../activities/deps.ts';
import { createResearchLifecycleActivities } from '../../activities/research-lifecycle.ts';
import { createSteerActivities } from '../../activities/steer.ts';
import { alerts as alertRows, trials, wantedRuns } from '../../db/schema.ts';
import type { Store } from '../../db/store.ts';
import { findTask } from '../../tasks/find-task.ts';
import { budgetCommand, windowCommand } from '../../domain/messages/steer-commands.ts';
import type { LoadedTask } from '../../tasks/load.ts';
import { BASELINE, hashOf, insertResearch, TASK, trialRow, WINNER } from '../cli/support/lineage.ts';
import { useDatabase } from '../db/support.ts';

const bench = useDatabase();

const inActivity =
  <A extends unknown[], R>(activity: (...args: A) => Promise<R>) =>
  (...args: A): Promise<R> =>
    new MockActivityEnvironment().run(activity, ...args);

const EXPOSURE = 'It can do little.';
/** Size of the disk of the runs, which has room for a `diskMb` of 1488. */
const DISK_MB = 2000;

/** A worker with a model, whose task folder is given by `loadTask`. */
const worker = (
  store: Store,
  loadTask: ActivityDeps['tasks']['loadTask'],
  limits: { sandboxed?: boolean; diskMb?: number; memoryMb?: number | null } = {},
) => {
  const { sandboxed = true, diskMb = DISK_MB, memoryMb = null } = limits;
  const yes = () => true;
  const deps = {
    store,
    tasks: { loadTask },
    models: { llm: {}, llmModel: 'm', hasTrainer: yes, hasOptimizer: yes, canLearn: yes, priceOf: () => 1 },
    pools: {
      slotsOf: () => Promise.resolve(2),
      diskSizeMb: () => Promise.resolve(diskMb),
      memoryIn: () => memoryMb,
      protections: () =>
        Promise.resolve({ sandboxed, network: sandboxed, exposure: EXPOSURE, notes: ['No namespaces.'] }),
    },
    temporal: { searchAttributes: { registered: true, reason: null } },
    machine: { sha256: hashOf },
    reach: () => undefined,
  } as unknown as ActivityDeps;
  const { openResearch, changeTask } = createResearchLifecycleActivities(deps);
  const steer = createSteerActivities(deps);
  const injectProposals = inActivity(steer.injectProposals);
  return { ...steer, injectProposals, openResearch: inActivity(openResearch), changeTask: inActivity(changeTask) };
};
const gone = (): Promise<never> => Promise.reject(new Error('the folder is gone'));

const HASHES = { hash: 'task-2', immutableHash: 'i2', evaluatorHash: 'e2', metricKey: 'm2', stageHash: 's2' };
const OTHER: LoadedTask = {
  ...HASHES,
  task: { ...TASK, name: 'toy two' },
  yaml: '',
  prompt: null,
  workspace: [{ path: 'train.mjs', content: Buffer.from('two'), executable: false }],
  evaluatorFiles: [],
  mutablePaths: ['train.mjs'],
  folder: '/tasks/two',
  positionOf: () => null,
};

describe('a change of task', () => {
  test('whose answer was lost is answered again as it was, though its folder is gone', async () => {
    await insertResearch(bench.db, 'answered', { proposer: 'llm' });
    const asked = { researchId: 'answered', task: '/tasks/two', key: 'run/1' };
    const first = await worker(bench.store, () => Promise.resolve(OTHER)).changeTask(asked);
    expect(first).toEqual({ keptIncumbent: false, unfit: [], taskName: 'toy two', pool: 'local', slots: 2 });
    expect(await worker(bench.store, gone).changeTask(asked)).toEqual(first);
    await expect(worker(bench.store, gone).changeTask({ ...asked, key: 'run/2' })).rejects.toThrow('gone');
  });
});

describe('a research that is started again', () => {
  test('takes the budget that was asked for, beside one that a person changes at the same time', async () => {
    await insertResearch(bench.db, 'again', { proposer: 'llm', endpointDown: 'refused' });
    const [a, b] = [worker(bench.another(), gone), worker(bench.another(), gone)];
    for (let round = 1; round <= 10; round += 1) {
      await Promise.all([
        a.openResearch({ researchId: 'again', task: 'toy', budget: { trials: round } }),
        b.setBudget({ researchId: 'again', budget: { hours: round, usd: round } }),
      ]);
      expect(await bench.store.research.findResearch('again')).toMatchObject({
        budget: { ...TASK.budget, trials: round, hours: round, usd: round },
        proposer: 'llm',
        endpointDown: null,
      });
    }
  });
});

describe('the seeds of a research', () => {
  const toy = () => Promise.resolve({ ...OTHER, hash: 'seeded', task: TASK });

  test('are made from its id, or from the root that its start named', async () => {
    const { openResearch } = worker(bench.store, toy);
    const rootOf = async (researchId: string, seed?: string) => {
      await openResearch({ researchId, task: 'toy', ...(seed === undefined ? {} : { seed }) });
      return (await bench.store.research.findResearch(researchId))?.seedRoot;
    };
    expect(await rootOf('unnamed')).toBe('unnamed');
    expect(await rootOf('named', 'pair 7')).toBe('pair 7');
    // A start that names no root keeps it.
    expect(await rootOf('named')).toBe('pair 7');
    expect(await rootOf('named', 'pair 7')).toBe('pair 7');
  });

  test('stay: another root is refused when it is started again', async () => {
    await insertResearch(bench.db, 'rooted', { proposer: 'llm', seedRoot: 'pair 7' });
    await insertResearch(bench.db, 'unrooted', { proposer: 'llm' });
    const open = (researchId: string, seed: string) =>
      worker(bench.store, gone).openResearch({ researchId, task: 'toy', seed });
    await expect(open('rooted', 'pair 8')).rejects.toThrow(
      'input: seed: expected "pair 7", which research rooted has; got "pair 8"; leave it out, or start the research',
    );
    await expect(open('unrooted', 'pair 8')).rejects.toThrow('expected "unrooted", which research unrooted has; got');
    expect((await bench.store.research.findResearch('rooted'))?.seedRoot).toBe('pair 7');
  });
});

describe('proposals without a new candidate', () => {
  test('begin again with another proposer and with another version of the task, not with a mere start', async () => {
    const range: [number, number] = [1, 2];
    const knobs = [{ file: 'train.mjs', name: 'X', type: 'int' as const, scale: 'linear' as const, range }];
    const both = { ...OTHER, hash: 'task-with-knobs', task: { ...TASK, knobs } };
    const { openResearch, changeTask } = worker(bench.store, () => Promise.resolve(both));
    const row = async () => (await bench.store.research.findResearch('barren'))?.withoutNew;
    await insertResearch(bench.db, 'barren', { proposer: 'llm', withoutNew: 200 });
    await openResearch({ researchId: 'barren', task: 'toy' });
    await openResearch({ researchId: 'barren', task: 'toy', proposer: 'llm' });
    expect(await row()).toBe(200);
    await changeTask({ researchId: 'barren', task: '/tasks/two' });
    expect(await row()).toBe(0);
    await bench.store.research.updateResearch('barren', { withoutNew: 200 });
    await openResearch({ researchId: 'barren', task: 'toy', proposer: 'random' });
    expect(await row()).toBe(0);
  });
});

describe('a machine without a sandbox', () => {
  const bare = () => worker(bench.store, gone, { sandboxed: false });
  const said = /^run\.sandbox: required, but no sandbox is available here\. It can do little\. No namespaces/;
  const knobs = [{ file: 'train.mjs', name: 'LR', type: 'choice' as const, values: [1, 2] }];

  /** Inserts a research whose knobs can be drawn, and whose lead comes from that proposer. */
  const stand = async (id: string, proposer: string): Promise<void> => {
    const gate = await insertResearch(bench.db, id);
    const stored = await bench.store.task.loadTaskVersion('task-1');
    const version = { ...stored, hash: 'task-knobs', task: { ...TASK, knobs } };
    await bench.store.task.saveTaskVersion({ ...version, workspace: [], evaluatorFiles: [] });
    const at = { ...gate, incumbentId: WINNER, leadId: WINNER };
    await bench.store.research.updateResearch(id, { taskHash: version.hash, gate: at });
    await bench.db.insert(trials).values(trialRow(id, 1, { candidateId: WINNER, parentId: BASELINE, proposer }));
  };

  test('goes on by random draws from a drawn candidate, not from one that a model wrote', async () => {
    await stand('drawn', 'random');
    await stand('written', 'llm');
    const again = (researchId: string) => bare().openResearch({ researchId, task: 'toy', proposer: 'random' });
    expect((await again('drawn')).taskName).toBe('toy');
    await expect(again('written')).rejects.toThrow(said);
  });

  test('takes the proposals of a person, each once, and says which it refuses', async () => {
    await insertResearch(bench.db, 'injected');
    const inject = { researchId: 'injected', key: 'k', files: { 'train.mjs': 'mine' }, hypothesis: 'h' };
    const { researchId, ...mine } = inject;
    const proposals = [mine, { ...mine, key: 'other', files: { 'eval.mjs': 'mine' } }, { ...mine, key: 'third' }];
    const refused = [
      await bare().injectProposals({ researchId, proposals }),
      await bare().injectProposals({ researchId, proposals }),
    ];
    expect(refused.map((words) => words.map((why) => why.slice(0, 50)))).toEqual(
      Array(2).fill([expect.stringContaining('files.eval.mjs: expected one of the mutable files')]),
    );
    const above = { ...mine, key: 'above', files: { '../x': 'mine' } };
    expect((await bare().injectProposals({ researchId, proposals: [above] }))[0]).toMatch(
      /^[^]*files\."\.\.\/x": expected one of the mutable files/,
    );
    const wants = await bench.db.select().from(wantedRuns).where(eq(wantedRuns.researchId, 'injected'));
    expect(wants).toHaveLength(2);
  });
});

describe('a new version of the folder', () => {
  const search = { ...TASK.search, proposer: 'llm' as const, window: 3 };
  const other = { ...OTHER, hash: 'task-3', task: { ...TASK, search, budget: { ...TASK.budget, trials: 77 } } };
  const notTaken = (id: string) =>
    `budget.trials 77 (to apply it: ${budgetCommand(id, { trials: 77 })}), ` +
    `search.window 3 (to apply it: ${windowCommand(id, 3)})`;

  test('brings an alert when its research is started again, with the keys that it would not take', async () => {
    await insertResearch(bench.db, 'seen', { proposer: 'llm' });
    const { alerts } = await worker(bench.store, () => Promise.resolve(other)).openResearch({
      researchId: 'seen',
      task: 'toy',
    });
    expect(alerts.join()).toContain(`this research would ignore ${notTaken('seen')}`);
  });

  test('that cannot be used brings an alert when its research is started again, which goes on', async () => {
    await insertResearch(bench.db, 'unread', { proposer: 'llm' });
    for (const task of ['/tasks/toy', 'toy'])
      expect(await worker(bench.store, gone).openResearch({ researchId: 'unread', task })).toMatchObject({
        taskName: 'toy',
        alerts: [
          expect.stringMatching(/^the research continues with its stored version of toy \(task-1\).* folder is gone/),
        ],
      });
  });

  test('is not loaded by a name that the worker does not know', async () => {
    await insertResearch(bench.db, 'elsewhere', { proposer: 'llm' });
    const places = { cwd: '/', builtin: '/nowhere' };
    const unknown = async (name: string): Promise<never> => {
      throw new Error(`found ${await findTask(name, places)}`);
    };
    const open = (task: string) => worker(bench.store, unknown).openResearch({ researchId: 'elsewhere', task });
    expect((await open('toy')).alerts).toEqual([]);
    expect((await open('/tasks/toy')).alerts).toEqual([expect.stringContaining('there is no folder /tasks/toy')]);
  });

  test('is taken with an alert on the keys that it does not take', async () => {
    await insertResearch(bench.db, 'taken', { proposer: 'llm' });
    await worker(bench.store, () => Promise.resolve(other)).changeTask({ researchId: 'taken', task: '/tasks/two' });
    const rows = await bench.db.select().from(alertRows).where(eq(alertRows.researchId, 'taken'));
    expect(rows.map(({ message }) => message).join()).toContain(`. A running research ignores ${notTaken('taken')}`);
    expect((await bench.store.research.findResearch('taken'))?.budget).toEqual(TASK.budget);
  });
});

describe('a new research', () => {
  test('under the id of a trial is refused, and nothing of it is stored', async () => {
    const open = worker(bench.store, () => Promise.resolve(OTHER)).openResearch;
    await expect(open({ researchId: 'exp/1', task: 'toy' })).rejects.toThrow(
      /^workflow id: expected one that does not end in \/number, got exp\/1/,
    );
    expect(await bench.store.research.findResearch('exp/1')).toBeUndefined();
  });
});

describe('a task that wants more room than its disk has in all', () => {
  const resources = (diskMb: number) => ({ ...TASK.run.resources, diskMb });
  const wanting = (diskMb: number): LoadedTask => {
    const task = { ...OTHER.task, run: { ...TASK.run, resources: resources(diskMb) } };
    return {
      ...OTHER,
      hash: `wants-${diskMb}`,
      task,
      positionOf: ([key]) => (key === 'run' ? 'task.yaml:7:12' : null),
    };
  };
  const here = (diskMb: number) => worker(bench.store, () => Promise.resolve(wanting(diskMb)));
  const said = new RegExp(
    '^task\\.yaml:7:12 run\\.resources\\.diskMb: expected at most 1488 ' +
      '\\(the disk of the runs has 2000 MiB in all, 512 of them stay free\\), got 1489; lower it',
  );

  test.each([
    ['a new research', {}],
    ['a check', { check: true }],
  ])('is refused to %s, with its place', async (_, more) => {
    await expect(here(1489).openResearch({ researchId: 'wants', task: 'toy', ...more })).rejects.toThrow(said);
    expect(await bench.store.research.findResearch('wants')).toBeUndefined();
  });

  test('is refused as a change; one that just fits is taken', async () => {
    await insertResearch(bench.db, 'fits', { proposer: 'llm' });
    const change = { researchId: 'fits', task: '/tasks/two' };
    await expect(here(1489).changeTask(change)).rejects.toThrow(said);
    expect((await here(1488).changeTask(change)).taskName).toBe('toy two');
  });

  test.each([
    {
      key: 'diskMb',
      most: 0,
      then: 'its runs wait; when you have corrected the folder: npx perpetua task ',
      than: { diskMb: 512 },
    },
    { key: 'memoryMb', most: 1, then: 'its trials are lost: pause the research', than: { memoryMb: 1 } },
  ])('does not shut a research whose machines had more: an alert names $key', async ({ key, most, then, than }) => {
    await insertResearch(bench.db, `moved-${key}`, { proposer: 'llm' });
    const { openResearch } = worker(bench.store, gone, than);
    const { alerts } = await openResearch({ researchId: `moved-${key}`, task: 'toy' });
    const words = `^run\\.resources\\.${key}: expected at most ${most} .*; until then ${then}`;
    expect(alerts).toContainEqual(expect.stringMatching(new RegExp(words)));
  });
});
