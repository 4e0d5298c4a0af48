import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { admitTrials } from '../../support/database/admit-trials.ts';
import { injectRun } from '../../../activities/research/inject-proposal.ts';
import { overrideVerdict } from '../../../activities/steer.ts';
import { settle } from '../../../activities/outcome/settle.ts';
import { openGate } from '../../../domain/gate/gate.ts';
import { alerts, claims, researches, runs, taskVersions, trials, wantedRuns } from '../../../db/schema.ts';
import {
  BASELINE,
  BROKEN,
  CONFIG,
  insertResearch,
  TASK,
  trialRow,
  WINNER,
  storeTrials,
} from '../../cli/support/lineage.ts';
import { useDatabase } from '../../db/support.ts';

const bench = useDatabase();

const outcome = (researchId: string, n: number, value: number) => ({
  trialId: `${researchId}/${n}`,
  researchId,
  status: 'completed' as const,
  failure: null,
  value,
  metrics: { loss: value, odd: Number.NaN },
  evaluatorNotes: null,
  trusted: true,
});
const rows = (id: string) => bench.db.select().from(trials).where(eq(trials.researchId, id)).orderBy(trials.n);
const claimsOf = (id: string) => bench.db.select().from(claims).where(eq(claims.researchId, id)).orderBy(claims.seq);

/** Inserts three baseline runs that were judged, and search trials that were not. */
async function judged(id: string, candidates: string[]): Promise<void> {
  await insertResearch(bench.db, id);
  const baseline = [1, 2, 3].map((n) => trialRow(id, n, { kind: 'baseline', candidateId: BASELINE }));
  const searches = candidates.map((candidateId, index) =>
    trialRow(id, 4 + index, { candidateId, parentId: BASELINE, startedAt: new Date() }),
  );
  await storeTrials(bench.db, [...baseline, ...searches]);
  for (const n of [1, 2, 3]) await settle(bench.store, outcome(id, n, 2));
}

describe('an outcome', () => {
  test('is written once: repeated with another value, it returns and keeps the first', async () => {
    await judged('once', [WINNER]);
    const first = await settle(bench.store, outcome('once', 4, 1));
    expect(first).toMatchObject({ n: 4, status: 'completed', verdict: 'keep' });
    const before = await bench.db.select().from(researches).where(eq(researches.id, 'once'));
    const again = await settle(bench.store, { ...outcome('once', 4, 9), status: 'crashed', value: null });
    expect(again).toEqual(first);
    expect((await rows('once')).at(-1)).toMatchObject({
      ruledAt: expect.any(Date) as unknown,
      value: 1,
      verdict: 'keep',
      metrics: { loss: 1, odd: 'nan' },
    });
    expect(await bench.db.select().from(researches).where(eq(researches.id, 'once'))).toEqual(before);
    expect((await claimsOf('once')).filter(({ candidateId }) => candidateId === WINNER)).toHaveLength(1);
  });

  test('of a candidate that changes an immutable file is kept, and brings no verdict', async () => {
    await judged('fixed', [WINNER]);
    const names = { name: 'toy', yaml: '', stageHash: 's', immutableHash: 'i', evaluatorHash: 'e', metricKey: 'm' };
    await bench.db.insert(taskVersions).values({ ...names, hash: 'narrow', task: TASK, mutablePaths: ['other.mjs'] });
    await bench.db.update(researches).set({ taskHash: 'narrow' }).where(eq(researches.id, 'fixed'));
    expect(await settle(bench.store, outcome('fixed', 4, 1))).toMatchObject({ verdict: 'none' });
    expect((await rows('fixed')).at(-1)).toMatchObject({
      value: 1,
      reason: 'train.mjs, which it changes, is no longer mutable',
    });
    expect(await overrideVerdict(bench.store, { researchId: 'fixed', n: 4, verdict: 'keep', reason: 'mine' })).toMatch(
      /trial 4 is not: train\.mjs, which it changes, is no longer mutable/,
    );
  });

  test('without a candidate counts as ended, so that the gate does not wait for it', async () => {
    await judged('empty', [WINNER, WINNER]);
    await bench.db.update(trials).set({ candidateId: null }).where(eq(trials.id, 'empty/4'));
    const holes = async (): Promise<number[] | undefined> =>
      (await bench.db.select().from(researches).where(eq(researches.id, 'empty')))[0]?.gate.counted.holes;
    await settle(bench.store, outcome('empty', 5, 1));
    expect(await holes()).toEqual([4]);
    const rejected = { ...outcome('empty', 4, 1), status: 'rejected' as const, value: null };
    expect(await settle(bench.store, rejected)).toMatchObject({ status: 'rejected', verdict: 'none' });
    expect(await holes()).toEqual([]);
  });

  test('of an attempt that slept while another took the run over is not written', async () => {
    await judged('slept', [WINNER]);
    const key = { jobId: 'slept/4', placement: 0 };
    await bench.db.insert(runs).values({ ...key, host: 'fake', slotId: 'fake/0', fence: 1, follower: 2 });
    const by = (follower: number) => ({ ...outcome('slept', 4, follower), by: { placement: 0, follower } });
    await expect(settle(bench.store, by(1))).rejects.toThrow('a newer attempt follows slept/4: nothing was stored');
    expect((await rows('slept')).at(-1)).toMatchObject({ status: null, value: null });
    expect(await settle(bench.store, by(2))).toMatchObject({ n: 4, status: 'completed' });
    // A stored outcome is the answer to all attempts.
    expect(await settle(bench.store, by(1))).toMatchObject({ n: 4, status: 'completed' });
    expect((await rows('slept')).at(-1)).toMatchObject({ value: 2 });
  });

  test('settled at once from several workers is ruled on once', async () => {
    await judged('race', [WINNER]);
    const stores = Array.from({ length: 6 }, () => bench.another());
    const all = await Promise.all(stores.map((store, index) => settle(store, outcome('race', 4, 1 - index / 10))));
    expect(new Set(all.map((ended) => JSON.stringify(ended))).size).toBe(1);
    expect((await claimsOf('race')).filter(({ candidateId }) => candidateId === WINNER)).toHaveLength(1);
  });

  test('of two winners at once makes claims in turn, and the worse does not replace the better', async () => {
    for (let round = 0; round < 6; round += 1) {
      const id = `winners-${round}`;
      await judged(id, [WINNER, BROKEN]);
      const [a, b] = [bench.another(), bench.another()];
      await Promise.all([settle(a, outcome(id, 4, 1)), settle(b, outcome(id, 5, 1.5))]);
      const made = await claimsOf(id);
      expect(made.map(({ seq }) => seq)).toEqual(made.map((_, index) => index + 1));
      expect(made.at(-1)).toMatchObject({ candidateId: WINNER, value: 1 });
      const values = made.map(({ value }) => value);
      expect(values).toEqual([...values].sort((x, y) => y - x));
    }
  });

  test('by early abort counts as a search trial for the gate, one by a person does not', async () => {
    await judged('stopped', [WINNER, BROKEN]);
    const searched = async () =>
      (await bench.db.select().from(researches).where(eq(researches.id, 'stopped')))[0]?.gate.searched;
    const stop = (n: number, label: 'cannot-win' | 'stopped-by-operator') =>
      settle(bench.store, {
        ...outcome('stopped', n, 0),
        status: 'aborted',
        value: null,
        failure: { label, message: 'stopped' },
      });
    await stop(4, 'stopped-by-operator');
    expect(await searched()).toBe(0);
    await stop(5, 'cannot-win');
    expect(await searched()).toBe(1);
  });

  test('that gives the unmodified version up deletes its runs that have not begun, and nothing else', async () => {
    const config = { ...CONFIG, baselineRuns: 1, policy: 'strict' as const };
    const { state } = openGate(config, BASELINE);
    await insertResearch(bench.db, 'given-up', { gate: state, gateConfig: config });
    const want = { researchId: 'given-up', candidateId: BASELINE };
    await bench.db.insert(wantedRuns).values([
      { ...want, kind: 'baseline', n: 1 },
      { ...want, kind: 'baseline' },
      { ...want, kind: 'injected', proposal: { parentId: BASELINE, hypothesis: 'mine' } },
    ]);
    const failure = { label: 'exit-code' as const, message: 'it ended with 7' };
    const crash = { status: 'crashed' as const, failure, value: null };
    const ns = [1, 2, 3, 4, 5];
    await storeTrials(
      bench.db,
      ns.map((n) => trialRow('given-up', n, { kind: 'baseline', candidateId: BASELINE })),
    );
    const kinds = async () => {
      const found = await bench.db.select().from(wantedRuns).where(eq(wantedRuns.researchId, 'given-up'));
      return found.filter(({ n }) => n === null).map(({ kind }) => kind);
    };
    for (const n of ns.slice(0, 4)) await settle(bench.store, { ...outcome('given-up', n, 0), ...crash });
    expect(await kinds()).toContain('baseline');
    await settle(bench.store, { ...outcome('given-up', 5, 0), ...crash });
    expect(await kinds()).toEqual(['injected']);
    const [row] = await bench.db.select().from(researches).where(eq(researches.id, 'given-up'));
    expect(row?.gate).toMatchObject({ calibrating: { candidateId: '' }, asked: [] });
  });

  test('that failed names the failure, which a person reads as its reason', async () => {
    await judged('failed', [WINNER]);
    const failure = { label: 'exit-code' as const, message: 'exit code 3\0' };
    await settle(bench.store, { ...outcome('failed', 4, 1), status: 'crashed', value: null, failure });
    const last = (await rows('failed')).at(-1);
    expect(last).toMatchObject({ status: 'crashed', failure: 'exit-code', value: null, verdict: 'discard' });
    expect(last?.reason).toMatch(/crashed \(exit-code\): exit code 3/);
  });
});

test('wanted runs of a candidate are deleted once nobody asks for them, unless they have a number', async () => {
  await judged('word', [WINNER]);
  await settle(bench.store, outcome('word', 4, 1));
  const research = await bench.store.research.findResearch('word');
  const run = { kind: 'remeasure' as const, candidateId: WINNER, ofTrial: 4 };
  const gate = { ...research!.gate, calibrating: { candidateId: WINNER, need: 5 }, asked: [run, run, run] };
  await bench.db.update(researches).set({ gate }).where(eq(researches.id, 'word'));
  await bench.db.insert(wantedRuns).values([5, null, null].map((n) => ({ researchId: 'word', ...run, n })));
  const word = { researchId: 'word', n: 4, verdict: 'discard' as const, reason: 'leaks' };
  expect(await overrideVerdict(bench.store, word)).toBeUndefined();
  const wanted = await bench.db.select().from(wantedRuns).where(eq(wantedRuns.researchId, 'word'));
  expect(wanted.filter(({ candidateId }) => candidateId === WINNER)).toMatchObject([{ n: 5 }]);
  expect((await bench.store.research.findResearch('word'))?.gate).toMatchObject({ incumbentId: BASELINE });
});

describe("a person's proposal that a machine lost", () => {
  test('is wanted again, twice at most, and then an alert says so; one that a person closed is not', async () => {
    await insertResearch(bench.db, 'again');
    const lose = async (label: 'machine-lost' | 'contended' | 'workflow-closed') => {
      const { trials: [spec] = [] } = await admitTrials(bench.store, {
        researchId: 'again',
        key: String(Math.random()),
        room: 1,
        activeSeconds: 0,
        proposals: false,
      });
      if (!spec) return undefined;
      const failure = { label, message: 'gone' };
      await settle(bench.store, { ...outcome('again', spec.n, 0), status: 'lost', value: null, failure });
      return spec.kind;
    };
    const inject = (key: string, id: string) =>
      injectRun(bench.store, {
        researchId: 'again',
        taskHash: 'task-1',
        key,
        parentId: BASELINE,
        hypothesis: 'by hand',
        candidate: { id, immutableHash: 'i', files: { 'a.txt': key } },
        knobs: {},
        structure: null,
      });
    await inject('one', 'by-hand');
    expect([await lose('machine-lost'), await lose('machine-lost'), await lose('machine-lost')]).toEqual([
      'injected',
      'injected',
      'injected',
    ]);
    expect((await rows('again')).map(({ hypothesis }) => hypothesis)).toEqual(['by hand', 'by hand', 'by hand']);
    expect(await lose('machine-lost')).toBeUndefined();
    const stored = await bench.db.select().from(alerts).where(eq(alerts.researchId, 'again'));
    expect(stored.map(({ message }) => message)).toEqual([
      'the injected proposal of trial 3 is not run again: 3 runs of it were lost (machine-lost). ' +
        'Mend the machine, then inject it again',
    ]);
    // A proposal that is injected once more has all its tries again.
    await inject('once more', 'by-hand');
    expect([await lose('contended'), await lose('contended'), await lose('contended')]).toEqual([
      'injected',
      'injected',
      'injected',
    ]);
    expect(await lose('machine-lost')).toBeUndefined();
    await inject('two', 'by-hand-too');
    expect([await lose('workflow-closed'), await lose('workflow-closed')]).toEqual(['injected', undefined]);
  });
});
