import { MockActivityEnvironment } from '@temporalio/testing';
import { eq } from 'drizzle-orm';
import { beforeAll, describe, expect, test, vi } from 'vitest';
import { createProposeActivities } from '../../../activities/propose.ts';
import type { ActivityDeps } from '../../../activities/deps.ts';
import { requirePrice } from '../../../activities/task/require-runnable.ts';
import { sandboxOf } from '../../../activities/task/sandbox-of.ts';
import * as schema from '../../../db/schema.ts';
import { NO_CREDIT } from '../../../domain/search/mixture/arm.ts';
import { findProposer } from '../../../domain/search/proposer/find-proposer.ts';
import { choiceIn, chooserOf, factsOf, MAKERS, makersOf } from '../../../domain/search/proposer/makers.ts';
import type * as Table from '../../../domain/search/proposer/table.ts';
import { UnknownMethod } from '../../../domain/method/unknown-method.ts';
import { pathText, sentenceOf } from '../../../domain/issue/problem.ts';
import { contradictions } from '../../../domain/task/contradictions.ts';
import { fitOverrides } from '../../../domain/task/overrides.ts';
import { updatePlanIn } from '../../../domain/search/update/table.ts';
import { Task } from '../../../domain/task/task.ts';
import { admitTrials } from '../../support/database/admit-trials.ts';
import { BASELINE, hashOf, insertResearch, TASK } from '../../cli/support/lineage.ts';
import { useDatabase } from '../../db/support.ts';

// A mixture that no build has, in a table of this file's own.
vi.mock('../../../domain/search/proposer/table.ts', async (original) => {
  const table = await original<typeof Table>();
  const { z } = await import('zod');
  const { defineMixture } = await import('../../../domain/search/proposer.ts');
  const settings = z.strictObject({
    of: z.array(z.union([z.string(), z.looseObject({ name: z.string() })])).default(['random', 'llm']),
  });
  const alternate = defineMixture({
    settings,
    among: ({ of }) => of,
    observes: { best: 1, latest: 1 },
    choose: ({ n, observations }, { of }) => ({
      proposer: of[n % of.length] ?? 'none',
      reason: `its turn, after ${observations.total} candidates`,
    }),
  });
  const stray = defineMixture({
    settings: z.strictObject({}),
    among: () => ['random'],
    choose: () => ({ proposer: 'llm', reason: 'it is not one of those that it names' }),
  });
  const PROPOSERS = { ...table.PROPOSERS, alternate, stray };
  const { methodOf } = await import('../../../domain/method/axis.ts');
  return { ...table, PROPOSERS, proposerOf: (stored: unknown) => methodOf('search.proposer', PROPOSERS, stored) };
});

const bench = useDatabase();
const task = Task.parse({ ...TASK, knobs: [{ file: 'train.mjs', name: 'LR', type: 'float', range: [0.01, 10] }] });

beforeAll(async () => {
  await insertResearch(bench.db, 'first');
  await bench.db.update(schema.taskVersions).set({ task }).where(eq(schema.taskVersions.hash, 'task-1'));
});

/** Inserts a research whose proposer is the mixture, with its settings as they are recorded. */
async function open(id: string, choice: Record<string, unknown> = {}): Promise<void> {
  const { search, abort, keep } = task;
  const proposer = { name: 'alternate', ...choice } as unknown as typeof search.proposer;
  await insertResearch(bench.db, id, {
    proposer: 'alternate',
    settings: { search: { ...search, proposer }, abort, keep },
  });
}

const deps = (): ActivityDeps =>
  ({ store: bench.store, machine: { sha256: hashOf }, reach: () => undefined }) as unknown as ActivityDeps;

const propose = (trialId: string) => {
  const activity = createProposeActivities(deps()).propose;
  return new MockActivityEnvironment().run(activity, { trialId, atOnce: true });
};

/** An attempt on the queue of proposals, by a worker without a model endpoint. */
const proposeWithoutModel = (trialId: string, attempt: number) => {
  const activity = createProposeActivities({ ...deps(), models: {} } as ActivityDeps).propose;
  return new MockActivityEnvironment({ attempt }).run(activity, { trialId });
};

describe('a mixture', () => {
  test('chooses once for each trial, in the transaction that begins it, and stores reason and settings', async () => {
    await open('turns');
    const { trials } = await admitTrials(bench.store, {
      researchId: 'turns',
      key: 'k',
      room: 2,
      activeSeconds: 0,
      proposals: true,
    });
    expect(trials.map(({ n }) => n)).toEqual([1, 2]);
    expect(await propose('turns/2')).toEqual({ state: 'ready' });
    expect(await propose('turns/1')).toEqual({ state: 'queued' });
    expect(await propose('turns/1')).toEqual({ state: 'queued' });
    const rows = await bench.db.query.trials.findMany({
      where: eq(schema.trials.researchId, 'turns'),
      orderBy: schema.trials.n,
    });
    expect(rows).toMatchObject([
      { proposer: 'llm', proposerReason: 'its turn, after 0 candidates', proposerSettings: {}, candidateId: null },
      { proposer: 'random', proposerReason: 'its turn, after 0 candidates', proposerSettings: {} },
    ]);
    expect(rows.every(({ parentId }) => parentId === BASELINE)).toBe(true);
    expect(rows[1]?.candidateId).not.toBeNull();
  });

  test('hands on the settings of the chosen proposer', async () => {
    const policy = { name: 'policy', base: 'tiny' };
    await open('settings', { of: [policy] });
    await admitTrials(bench.store, {
      researchId: 'settings',
      key: 'k',
      room: 1,
      activeSeconds: 0,
      proposals: true,
    });
    expect(await propose('settings/1')).toEqual({ state: 'queued' });
    const trial = await bench.store.trial.loadTrial('settings/1');
    expect(trial).toMatchObject({ proposer: 'policy', proposerSettings: { base: 'tiny', answers: 'knobs' } });
    // A sample of a policy belongs to a group.
    expect(await bench.store.learning.findGroup('settings/1')).toMatchObject({ g: 1, parentId: BASELINE });
  });

  test('goes on with another member at the third attempt while the endpoint of one is down', async () => {
    await open('away', { of: ['random', 'llm'] });
    await admitTrials(bench.store, { researchId: 'away', key: 'k', room: 3, activeSeconds: 0, proposals: true });
    await expect(proposeWithoutModel('away/1', 2)).rejects.toMatchObject({ type: 'EndpointDown' });
    expect(await proposeWithoutModel('away/1', 3)).toEqual({ state: 'ready' });
    expect(await proposeWithoutModel('away/3', 1)).toEqual({ state: 'ready' });
    const why = 'whose endpoint is down';
    expect(await bench.store.trial.loadTrial('away/1')).toMatchObject({
      proposer: 'random',
      arm: 'random',
      proposerReason: expect.stringMatching(/^in place of llm, which was skipped: model endpoint: none/) as string,
    });
    expect(await bench.store.trial.loadTrial('away/3')).toMatchObject({
      proposer: 'random',
      proposerReason: `in place of llm, ${why}`,
    });
    expect(await bench.store.research.findResearch('away')).toMatchObject({ endpointDown: null });
  });

  test('waits for an endpoint that all members need', async () => {
    await open('all', { of: ['llm'] });
    await admitTrials(bench.store, { researchId: 'all', key: 'k', room: 1, activeSeconds: 0, proposals: true });
    await expect(proposeWithoutModel('all/1', 3)).rejects.toMatchObject({ type: 'EndpointDown' });
    expect((await bench.store.research.findResearch('all'))?.endpointDown).toMatch(/^model endpoint: none/);
  });

  test('has the needs of all that it may choose, and the strictest sandbox', async () => {
    const both = factsOf('alternate');
    expect(both).toMatchObject({ writes: 'code', readsPrompt: true, someAtOnce: true, learners: [], drawers: [] });
    expect(both.needs.toSorted()).toEqual(['knobs', 'model']);
    const drawn = { name: 'alternate', of: ['random'] };
    expect(factsOf(drawn)).toMatchObject({ writes: 'knobs', readsPrompt: false, drawers: ['random'] });
    const ask = (proposer: unknown) =>
      sandboxOf(bench.store, task, { proposer, researchId: 'turns', candidateId: null });
    expect([await ask('alternate'), await ask(drawn)]).toEqual(['required', 'preferred']);
    const provided = { model: false, policy: false, asked: 'alternate' };
    expect(findProposer(task, provided).problem).toMatch(
      /^search\.proposer: alternate may choose llm, which needs a model endpoint/,
    );
    const search = { ...task.search, proposer: { name: 'alternate', of: ['llm', 'policy'] } };
    expect(findProposer({ ...task, search } as unknown as Task, { model: false, policy: false }).problem).toMatch(
      new RegExp(
        '^search\\.proposer: alternate may choose llm, which needs a model endpoint: .*; ' +
          'alternate may choose policy, which needs a trainer',
      ),
    );
    expect(findProposer(task, { ...provided, model: true })).toEqual({ chosen: 'alternate', problem: null });
  });

  test('learns if one of its proposers does, with one policy alone', () => {
    const of = ['random', { name: 'policy', base: 'tiny' }];
    const learning = { update: 'grpo', proposer: { name: 'alternate', of } };
    expect(updatePlanIn(learning)).not.toBeNull();
    expect(updatePlanIn({ ...learning, proposer: 'alternate' })).toBeNull();
    const search = { ...task.search, proposer: { name: 'alternate', of: [...of, 'policy'] } };
    const two = { ...task, search } as unknown as Task;
    expect(findProposer(two, { model: true, policy: true }).problem).toMatch(
      /^search\.proposer: expected one policy with one set of settings/,
    );
  });

  test('is refused a budget of money if no model has a price', () => {
    const models = { priceOf: () => null, llmModel: 'm' };
    const ask = (proposer: unknown) => (): void => requirePrice({ models }, { task, proposer, usd: 1 });
    expect(ask('alternate')).toThrow(/^budget\.usd: expected a price for m/);
    expect(ask({ name: 'alternate', of: ['random'] })).not.toThrow();
  });

  test('has nothing new to draw once each proposer that draws has found nothing', async () => {
    await open('tried', { of: ['random', { name: 'random' }] });
    const research = await bench.store.research.findResearch('tried');
    expect(factsOf(choiceIn(research ?? expect.unreachable())).drawers).toEqual(['random', 'random']);
    const found = (drawers: string[]) => bench.store.research.findNothingNew({ researchId: 'tried', drawers });
    expect(await found(['random'])).toBeNull();
    await bench.db.insert(schema.trials).values({
      id: 'tried/1',
      researchId: 'tried',
      n: 1,
      kind: 'search',
      seed: 1,
      taskHash: 'task-1',
      pool: 'local',
      admission: 'a',
      proposer: 'random',
      status: 'rejected',
      failure: 'nothing-new',
      failureMessage: 'all tried',
      endedAt: new Date(),
    });
    expect([await found(['random', 'random']), await found(['random', 'other'])]).toEqual(['all tried', null]);
  });

  test('is refused if it chooses a proposer that it does not name, or names another mixture', () => {
    const input = {
      n: 1,
      observations: {} as never,
      random: {} as never,
      creditOf: () => NO_CREDIT,
      isDown: () => false,
    };
    expect(() => chooserOf('stray')?.choose(input)).toThrow(
      'Expected stray to choose one of those that it names, got llm',
    );
    expect(() => makersOf({ name: 'alternate', of: ['alternate'] })).toThrow(UnknownMethod);
    expect(() => makersOf({ name: 'alternate', of: [] })).toThrow(UnknownMethod);
  });

  test.each<[string, unknown, string[]]>([
    ['none', { of: [] }, ['search.proposer: expected at least one proposer that alternate may choose, got none']],
    [
      'one that there is not',
      { of: ['random', 'lmm'] },
      [
        `search.proposer.of[1]: expected a proposer that alternate may choose, one of ${MAKERS.join(', ')}, ` +
          'got the text "lmm"; did you mean llm?',
      ],
    ],
    ['the word for no proposer', { of: ['auto'] }, ['search.proposer.of[0]: expected a proposer']],
    [
      'another mixture, and itself',
      { of: ['stray', { name: 'alternate' }] },
      [
        `search.proposer.of[0]: expected a proposer that alternate may choose, one of ${MAKERS.join(', ')}, ` +
          'got the text "stray", which chooses among others itself',
        `search.proposer.of[1]: expected a proposer that alternate may choose, one of ${MAKERS.join(', ')}, ` +
          'got the text "alternate", which',
      ],
    ],
    [
      'settings that a member does not have, and others that it does not take',
      {
        of: [
          { name: 'random', base: 'tiny' },
          { name: 'policy', maxTokens: 0 },
        ],
      },
      [
        'search.proposer.of[0].base: the key is not known',
        'search.proposer.of[1].maxTokens: expected a whole number at least 1 and at most 4096, got the number 0',
      ],
    ],
  ])('that names %s is refused with the path of the key', (_, settings, problems) => {
    const proposer = { name: 'alternate', ...(settings as object) };
    const found = contradictions(Task.parse({ ...task, search: { ...task.search, proposer } }))
      .map((problem) => `${pathText(problem.path)}: ${sentenceOf(problem)}`)
      .filter((text) => text.startsWith('search.'));
    expect(found).toEqual(problems.map((text) => expect.stringContaining(text) as unknown));
    // `start --set` gives the same problems.
    expect(fitOverrides(task, { search: { proposer } }).unfit).toEqual([found.join('; ')]);
  });

  test('is refused settings of a proposer, which belong to the member', () => {
    const { unfit } = fitOverrides(task, { search: { proposer: { name: 'alternate', base: 'tiny' } } });
    expect(unfit).toEqual([expect.stringMatching(/^search\.proposer\.base: with name: alternate, .*: policy$/)]);
  });
});
