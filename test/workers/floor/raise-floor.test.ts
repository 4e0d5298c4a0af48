import { randomUUID } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { expect, test } from 'vitest';
import { readAlerts } from '../../../db/reads/status/read-alerts.ts';
import { trials } from '../../../db/schema.ts';
import { raiseFloor } from '../../../workers/floor/raise-floor.ts';
import { insertResearch, trialRow } from '../../cli/support/lineage.ts';
import { type Bench, useDatabase } from '../../db/support.ts';
import { ARGS, eventsOf, type Run } from './support.ts';

const bench = useDatabase();

interface Kept extends Run {
  type: string;
  runId: string;
}

/** A server that keeps each effect on these runs, and calls `reach` before it. */
function keepingServer(first: Record<string, Run & { type: string }>, reach: () => void) {
  const chains = new Map(Object.entries(first).map(([id, run]) => [id, [{ ...run, runId: 'old' }]]));
  const isOpen = ({ status }: Kept): boolean => status === undefined;
  const lastOf = (id: string) => chains.get(id)?.at(-1) as Kept;
  async function* list() {
    await Promise.resolve();
    for (const [workflowId, chain] of chains)
      for (const { type, runId, memo } of chain.filter(isOpen)) yield { workflowId, runId, type, memo };
  }
  const effect = async (act: () => void): Promise<void> => {
    await Promise.resolve();
    reach();
    act();
  };
  const getHandle = (id: string, runId?: string) => {
    const run = () => chains.get(id)?.find((one) => one.runId === runId) ?? lastOf(id);
    return {
      describe: () => {
        const { runId, memo = {}, status = 'RUNNING' } = run();
        const shown = {
          staticSummary: () => Promise.resolve(undefined),
          staticDetails: () => Promise.resolve(undefined),
        };
        return Promise.resolve({ runId, memo, status: { name: status }, ...shown });
      },
      fetchHistory: () => Promise.resolve({ events: eventsOf(run()) }),
      terminate: (terminatedFor: string) => effect(() => Object.assign(run(), { status: 'TERMINATED', terminatedFor })),
      cancel: () => effect(() => Object.assign(run(), { isCancelled: true })),
    };
  };
  const start = (type: string, { workflowId, args, memo }: { workflowId: string; args: unknown[]; memo: object }) =>
    effect(() => {
      const chain = chains.get(workflowId) ?? [];
      if (chain.some(isOpen)) return;
      const next = { type, args: args[0], runId: randomUUID(), memo: { ...memo, floor: 999 }, isBegun: false };
      chains.set(workflowId, [...chain, next]);
    });
  return { client: { workflow: { list, getHandle, start } } as unknown as Client, chains };
}

/** A store that calls `reach` before each statement of the floor that writes. */
function watched({ store }: Bench, reach: () => void): Bench['store'] {
  const before = <A extends unknown[], R>(act: (...args: A) => Promise<R>) => {
    return async (...args: A): Promise<R> => {
      await Promise.resolve();
      reach();
      return act(...args);
    };
  };
  const { noteRestart, forgetRestart, recordPhase, insertAlert } = store.research;
  const writes = { noteRestart, forgetRestart, recordPhase, insertAlert };
  return {
    ...store,
    research: {
      ...store.research,
      noteRestart: before(writes.noteRestart),
      forgetRestart: before(writes.forgetRestart),
      recordPhase: before(writes.recordPhase),
      insertAlert: before(writes.insertAlert),
    },
  };
}

/**
 * Raises the floor over workflows of an older version, with a worker that dies before its effect number `dieAt` and is
 * started again. Returns the runs, phase, alerts and notes after that, without the id of the round.
 */
async function raisedAfterDeath(dieAt: number) {
  const round = `round-${dieAt}`;
  const [goesOn, over, job] = [`${round}-goes-on`, `${round}-over`, `command/${round}/cancelled`];
  const end = { phase: 'stopped', reason: 'stopped by a person', window: 1, activeSeconds: 9 };
  await insertResearch(bench.db, goesOn, { runId: 'old' });
  await insertResearch(bench.db, over, { runId: 'old', phase: 'stopping' });
  await bench.db.insert(trials).values([trialRow(goesOn, 1), trialRow(goesOn, 2)]);
  let effects = 0;
  let isDead = false;
  const reach = (): void => {
    effects += 1;
    isDead ||= effects === dieAt;
    if (isDead) throw new Error('the worker is dead');
  };
  const { client, chains } = keepingServer(
    {
      [goesOn]: { type: 'research', args: ARGS, unread: ['pause', 'note'] },
      [`${goesOn}/1`]: { type: 'trial', args: {} },
      [`${goesOn}/2`]: { type: 'trial', args: {}, isCancelled: true },
      [over]: { type: 'research', args: ARGS, phases: [end] },
      [job]: { type: 'job', args: { task: '/toy', command: 'true' }, isCancelled: true },
    },
    reach,
  );
  const raise = () =>
    raiseFloor({
      client,
      store: watched(bench, reach),
      databaseUrl: bench.url,
      reach: () => undefined,
      nameOf: () => Promise.resolve('toy'),
      warn: () => undefined,
    });
  const isWhole = await raise().then(
    () => !isDead,
    () => false,
  );
  // The next worker, which lives.
  [isDead, effects] = [false, Infinity];
  await raise();
  await raise();
  const runs = [...chains].map(([id, chain]) => [
    id.replace(round, 'round'),
    chain.map(({ type, args, status = 'RUNNING', isCancelled = false }) => ({ type, args, status, isCancelled })),
  ]);
  const { phase } = (await bench.store.research.findResearch(over)) ?? {};
  const alerts = (await readAlerts(bench.db, { researchId: goesOn, limit: 9 })).map(({ message }) => message);
  const left = await bench.store.research.findRestarts();
  return {
    isWhole,
    after: JSON.parse(JSON.stringify({ runs, phase, alerts, left }).replaceAll(round, 'round')) as object,
  };
}

test('if a worker dies before any effect of the floor, the next one does the rest, nothing twice', async () => {
  const { isWhole, after: expected } = await raisedAfterDeath(Infinity);
  expect(isWhole).toBe(true);
  const again = { status: 'RUNNING', isCancelled: false };
  expect(expected).toMatchObject({
    runs: [
      ['round-goes-on', [{ status: 'TERMINATED' }, { ...again, args: { paused: true, window: 3 } }]],
      ['round-goes-on/1', [{ status: 'TERMINATED' }]],
      ['round-goes-on/2', [{ status: 'TERMINATED' }, { ...again, isCancelled: true }]],
      ['round-over', [{ status: 'TERMINATED' }]],
      ['command/round/cancelled', [{ status: 'TERMINATED' }, { ...again, isCancelled: true }]],
    ],
    phase: 'stopped',
    left: [],
    alerts: [expect.stringMatching(/before it had acted on 1 message\..*: note$/)],
  });
  for (let dieAt = 1; ; dieAt += 1) {
    const { isWhole, after } = await raisedAfterDeath(dieAt);
    expect(after, `after a death before effect ${dieAt}`).toEqual(expected);
    if (isWhole) return expect(dieAt).toBeGreaterThan(15);
  }
});
