import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { MockActivityEnvironment } from '@temporalio/testing';
import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import type { ActivityDeps } from '../../../activities/deps.ts';
import { createMonitorActivities, type MonitorInput, type MonitorResult } from '../../../activities/monitor.ts';
import { runs, slots } from '../../../db/schema.ts';
import type { Store } from '../../../db/store.ts';
import type { StoredEnd } from '../../../activities/run/collect.ts';
import type { FailureLabel } from '../../../domain/trial.ts';
import type { AbortRecord } from '../../../domain/abort/record.ts';
import { HostUnreachableError } from '../../../infra/compute.ts';
import { withinTime } from '../../../infra/within-time.ts';
import { useDatabase } from '../../db/support.ts';
import { scriptedHost } from './support/host.ts';
import { insertKnownRuns, insertLaunched, linesOf } from './support/known-runs.ts';

const bench = useDatabase();
/** Seconds since the launch of each run. */
const AGO = 20;
let n = 100;
const WISH: AbortRecord = {
  abort: true,
  share: 0.35,
  forecast: 2,
  interval: null,
  reason: 'it lies behind all others',
  rule: 'matched-time',
  incumbent: 1,
  judgedBy: 1,
  strictness: 1,
  elapsed: 10,
  auditProbability: 0,
  audited: false,
};

interface Before {
  how?: 'lost' | 'away' | 'away in the end';
  /** The research. */
  id?: string;
  /** Record of an abort rule, stored before the loss. */
  abort?: AbortRecord;
  /** The run prints values that make a rule stop it, and is lost while the decision is being stored. */
  prints?: boolean;
}

/** Follows a run whose worker stored that stop and died, on a host that has lost the run or no longer answers. */
async function lostAfter(label: FailureLabel | null, before: Before = {}): Promise<[MonitorResult, MonitorInput]> {
  const { how = 'lost', id = 'decided', abort, prints = false } = before;
  const key = await insertLaunched(bench.db, id, { kind: 'search', n: (n += 1), fence: n, ago: AGO });
  const slot = { id: `fake/${n}`, pool: 'local', host: 'fake', index: n, fence: n };
  await bench.db.insert(slots).values({ ...slot, state: 'leased', jobId: key.jobId });
  const stop = label && { label, message: 'stopped at 35 %' };
  await bench.db.update(runs).set({ stop, abort }).where(eq(runs.jobId, key.jobId));
  const saving = new EventEmitter();
  const saveAbort: Store['run']['saveAbort'] = async (input) => {
    saving.emit('begun');
    await sleep(200);
    return bench.store.run.saveAbort(input);
  };
  const compute = {
    ...scriptedHost().compute,
    kill: () =>
      how === 'away in the end'
        ? Promise.reject(new HostUnreachableError('fake', 'route', { message: 'no route' }))
        : Promise.resolve(),
    doubt: () => undefined,
    follow: async function* () {
      if (how === 'away') throw new HostUnreachableError('fake', 'route', { message: 'no route' });
      if (prints) {
        const begun = once(saving, 'begun');
        yield { type: 'output', offset: 0, chunk: Buffer.from(`${linesOf(5, 1, 50).join('\n')}\n`), since: new Date() };
        await begun;
      }
      yield await Promise.resolve({ type: 'lost' });
    },
  };
  const deps = {
    store: {
      ...bench.store,
      run: { ...bench.store.run, saveAbort },
      host: {
        ...bench.store.host,
        secondsSinceContact: () => Promise.resolve(1e6),
        noteHostFailure: () => Promise.resolve(),
      },
    },
    hosts: { computeOf: () => compute, isOwnHost: () => true, secondsSinceAnswer: () => null, lostAfter: () => 600 },
    machine: { freeDisk: () => Promise.resolve({ bytes: 2 ** 40, files: null }) },
    scoring: { withinTime },
    reach: () => undefined,
  } as unknown as ActivityDeps;
  return [await new MockActivityEnvironment().run(createMonitorActivities(deps, null).monitor, key), key];
}

describe('a run whose machine died before it was stopped', () => {
  test('is over as decided if the stop was for its own output, once its host shows it gone', async () => {
    await insertKnownRuns(bench.db, 'decided', {});
    for (const label of ['cannot-win', 'not-finite', 'diverged'] as const) {
      const [result, key] = await lostAfter(label);
      expect(result).toEqual({ state: 'ended' });
      const began = new Date(Date.now() - AGO * 1000).getTime();
      const { end, endedAt, stop } = (await bench.store.run.findRun(key)) ?? {};
      expect({ stop, end, closed: endedAt !== null }).toMatchObject({
        stop: { label },
        closed: true,
        end: { reason: 'killed', wallSeconds: expect.closeTo(AGO, -1) as number },
      });
      expect(Math.abs(Date.parse((end as StoredEnd).startedAt) - began)).toBeLessThan(10_000);
      expect(await bench.store.slot.findLease(key.jobId)).toBeUndefined();
    }
  });

  test('is lost if the clock alone was against it, or if no host shows it gone', async () => {
    for (const label of ['stalled', 'too-slow', null] as const)
      expect((await lostAfter(label))[0]).toEqual({ state: 'lost' });
    // Nothing shows whether the run had its core to itself.
    await insertKnownRuns(bench.db, 'decided-cpu', { budget: { kind: 'cpu' }, known: 0 });
    expect((await lostAfter('cannot-win', { id: 'decided-cpu' }))[0]).toEqual({ state: 'lost' });
    expect((await lostAfter('diverged', { id: 'decided-cpu' }))[0]).toEqual({ state: 'ended' });
    for (const how of ['away', 'away in the end'] as const) {
      const [result, key] = await lostAfter('cannot-win', { how });
      expect(result).toEqual({ state: 'gone' });
      // The run stays open: a probe of the host ends it before a slot is lent again.
      expect(await bench.store.run.findRun(key)).toMatchObject({ end: null, endedAt: null });
      expect(await bench.store.run.findOrphans('fake')).toContainEqual({ ...key, fence: n });
    }
  });

  test('is over if the decision of a rule to stop it was stored, or was just being stored', async () => {
    await insertKnownRuns(bench.db, 'wished', { steps: 100 });
    for (const before of [{ abort: WISH }, { prints: true }]) {
      const [result, key] = await lostAfter(null, { id: 'wished', ...before });
      expect(result).toEqual({ state: 'ended' });
      expect(await bench.store.run.findRun(key)).toMatchObject({
        stop: { label: 'cannot-win' },
        abort: { abort: true, audited: false },
        end: { reason: 'killed' },
      });
    }
  });

  test('is lost if that decision was audited or went by the clock, or if no host shows it gone', async () => {
    await insertKnownRuns(bench.db, 'audited', { steps: 100 });
    const [result, key] = await lostAfter(null, { id: 'audited', abort: { ...WISH, audited: true } });
    expect(result).toEqual({ state: 'lost' });
    expect(await bench.store.run.findRun(key)).toMatchObject({ stop: null, end: null });
    await insertKnownRuns(bench.db, 'wished-cpu', { budget: { kind: 'cpu' }, known: 0 });
    expect((await lostAfter(null, { id: 'wished-cpu', abort: WISH }))[0]).toEqual({ state: 'lost' });
    const undecided = { id: 'audited', abort: WISH } as const;
    expect((await lostAfter(null, { ...undecided, how: 'away' }))[0]).toEqual({ state: 'gone' });
    expect((await lostAfter(null, { ...undecided, how: 'away in the end' }))[0]).toEqual({ state: 'lost' });
  });
});
