import { eq, sql } from 'drizzle-orm';
import { expect, test } from 'vitest';
import { readAttention } from '../../../../db/reads/attention/read-attention.ts';
import { readResearch } from '../../../../db/reads/read-research.ts';
import { calls, hosts, runs, taskVersions, trials } from '../../../../db/schema.ts';
import { Fleet } from '../../../../domain/fleet/fleet.ts';
import type { Phase } from '../../../../domain/research/phase.ts';
import type { NeedsYou } from '../../../../view/attention/entry.ts';
import { BASELINE, insertResearch, insertStory, storeTrials, TASK, trialRow } from '../../../cli/support/lineage.ts';
import { useDatabase } from '../../support.ts';

const bench = useDatabase();

const at = (minutes: number): Date => new Date(Date.UTC(2026, 10, 20, 10, minutes));
const NOW = at(60);

async function attentionOf(id: string): Promise<NeedsYou> {
  const research = await readResearch(bench.db, { researchId: id });
  if (research === undefined) throw new Error(`expected a research ${id}`);
  return readAttention(bench.db, { researches: [research], now: NOW });
}

/** Makes the events of a kind that were written now appear as written at a time. */
const dateEvents = (kind: string, minutes: number) =>
  bench.db.execute(sql`update events set at = ${at(minutes).toISOString()}::timestamptz
    where kind = ${kind} and at > now() - interval '1 hour'`);

async function recordPhase(researchId: string, minutes: number, phase: Phase, reason: string | null): Promise<void> {
  await bench.store.research.recordPhase({ researchId, phase, reason, window: 1, activeSeconds: 1 });
  await dateEvents('phase', minutes);
}

test('a wait begins with its first reason, also if the numbers in the reason change', async () => {
  await insertResearch(bench.db, 'full');
  const full = (mb: number) => `disk: ${mb} MiB free, at least 512 MiB needed; make room`;
  await recordPhase('full', 0, 'waiting', full(9));
  await recordPhase('full', 5, 'running', null);
  for (const minutes of [10, 20, 30]) await recordPhase('full', minutes, 'waiting', full(minutes));
  expect((await attentionOf('full')).attention).toMatchObject([{ key: 'disk:worker', at: at(10).toISOString() }]);
});

test('a spent budget begins when its first limit was reached', async () => {
  await insertResearch(bench.db, 'spent', { usd: 3, budget: { ...TASK.budget, usd: 3, whenSpent: 'wait' } });
  for (const [share, minutes] of [
    [80, 1],
    [100, 7],
  ] as const) {
    const data = { limit: 'usd', share, spent: 3, of: 3 };
    await bench.store.event.insertEvents([{ kind: 'budget-share', researchId: 'spent', data }]);
    await dateEvents('budget-share', minutes);
  }
  expect((await attentionOf('spent')).attention).toMatchObject([
    { key: 'budget:spent', fingerprint: 'usd', at: at(7).toISOString() },
  ]);
});

test('consecutive failures begin with the first one, and their fault is that of most of them', async () => {
  await insertResearch(bench.db, 'losing');
  const failed = { status: 'crashed' as const, failure: 'exit-code' as const };
  await storeTrials(bench.db, [
    trialRow('losing', 1, { ...failed, endedAt: at(1) }),
    trialRow('losing', 2, { status: 'completed', value: 1, endedAt: at(2) }),
    trialRow('losing', 3, { status: 'lost', failure: 'contended', endedAt: at(3) }),
    trialRow('losing', 4, { status: 'rejected', failure: 'launch-failed', endedAt: at(4) }),
    trialRow('losing', 5, { ...failed, endedAt: at(5) }),
    trialRow('losing', 6, { status: 'lost', failure: 'launch-failed', endedAt: at(6) }),
  ]);
  expect((await attentionOf('losing')).attention).toMatchObject([
    { key: 'losing:losing', fingerprint: 'machine', title: 'The last 3 trials failed', at: at(4).toISOString() },
  ]);
});

test('failed baseline runs begin with the first one', async () => {
  await insertResearch(bench.db, 'base');
  const failed = { kind: 'baseline' as const, candidateId: BASELINE, status: 'crashed' as const };
  await storeTrials(bench.db, [
    trialRow('base', 1, { ...failed, failure: 'no-metric', endedAt: at(1) }),
    trialRow('base', 2, { ...failed, failure: 'no-metric', endedAt: at(2) }),
  ]);
  expect((await attentionOf('base')).attention).toMatchObject([
    { key: 'baseline:base', fingerprint: 'task', at: at(1).toISOString() },
  ]);
});

test('a host is out since the event of its quarantine, however often it failed since then', async () => {
  await insertResearch(bench.db, 'calm');
  const fleet = { pools: { lab: { slots: 'cpu' } }, hosts: [{ name: 'box', pool: 'lab' }] };
  await bench.store.host.applyFleet(Fleet.parse(fleet));
  await bench.store.event.insertEvents([
    { kind: 'host-out', researchId: null, data: { host: 'box', why: 'no route' } },
  ]);
  await dateEvents('host-out', 3);
  await bench.db
    .update(hosts)
    .set({ seenAt: at(0), quarantinedUntil: at(70), lastError: 'no route', lastErrorAt: at(59) })
    .where(eq(hosts.name, 'box'));
  expect((await attentionOf('calm')).attention).toMatchObject([{ key: 'host:box', at: at(3).toISOString() }]);
});

test('a forgeable best is a state, unless the owner of the task chose to run without a sandbox', async () => {
  await bench.db.delete(hosts);
  await insertStory(bench.db, 'forged');
  await bench.db.update(trials).set({ trusted: false }).where(eq(trials.researchId, 'forged'));
  const forgeable = async () =>
    (await attentionOf('forged')).states.filter(({ title }) => title === 'The best score is untrusted');
  expect(await forgeable()).toMatchObject([{ commands: ['npx perpetua diff forged/4'] }]);
  await bench.db.update(taskVersions).set({ task: { ...TASK, run: { ...TASK.run, sandbox: 'none' } } });
  expect(await forgeable()).toEqual([]);
});

test('a run whose evaluator gets no answer from its model needs a person from ten minutes on', async () => {
  const llm = { model: 'judge', calls: 5, tokens: 1000, usd: 1 };
  const task = { ...TASK, evaluator: { ...TASK.evaluator, llm } };
  await bench.db.update(taskVersions).set({ task });
  await insertResearch(bench.db, 'judged');
  await storeTrials(bench.db, trialRow('judged', 1));
  await bench.db.insert(runs).values({
    jobId: 'judged/1',
    placement: 0,
    host: 'h',
    slotId: 'h/0',
    fence: 1,
    launchedAt: at(0),
    endedAt: at(5),
  });
  const call = { trialId: 'judged/1', turn: 0, role: 'evaluator' as const, scoring: 1, model: 'judge', failed: 2 };
  await bench.db.insert(calls).values({ ...call, error: 'the endpoint answered 503', sentAt: at(6) });
  expect((await attentionOf('judged')).attention).toMatchObject([
    {
      key: 'evaluator-model:judge',
      researches: ['judged'],
      at: at(5).toISOString(),
      commands: ['npx perpetua calls judged/1 --evaluator', 'npx perpetua doctor'],
    },
  ]);
  // A request that is under way again has no error yet.
  await bench.db.update(calls).set({ error: null });
  expect((await attentionOf('judged')).attention).toHaveLength(1);
  await bench.db.update(calls).set({ answeredAt: at(20) });
  expect((await attentionOf('judged')).attention).toEqual([]);
});
