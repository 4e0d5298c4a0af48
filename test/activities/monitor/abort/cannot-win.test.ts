import { eq } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import type { MonitorInput, MonitorResult } from '../../../../activities/monitor.ts';
import { slots, trials } from '../../../../db/schema.ts';
import type { RunEnd } from '../../../../infra/compute.ts';
import { useDatabase } from '../../../db/support.ts';
import { followsIn } from '../support/follow.ts';
import { scriptedHost, type ScriptedHost } from '../support/host.ts';
import { insertKnownRuns, insertLaunched, linesOf, STEP_SECONDS } from '../support/known-runs.ts';

const bench = useDatabase();
const { follow, untilCommitted, stopOf } = followsIn(bench);

describe('a run that cannot win', () => {
  test('is stopped if it is a proposal', async () => {
    await insertKnownRuns(bench.db, 'proposal', { steps: 100 });
    const key = await insertLaunched(bench.db, 'proposal', { kind: 'search' });
    const host = scriptedHost();
    host.print(linesOf(5, 1, 50));
    expect(await follow(host, key)).toEqual({ state: 'ended' });
    expect(await stopOf(key)).toBe('cannot-win');
    expect((await bench.store.run.findRun(key))?.abort).toMatchObject({ abort: true, audited: false, share: 0.5 });
  });

  test('is stopped by the clock if its budget is wall time and it plans no steps', async () => {
    await insertKnownRuns(bench.db, 'clock', { budget: { kind: 'wall' } });
    const key = await insertLaunched(bench.db, 'clock', { kind: 'search', ago: 25 * STEP_SECONDS });
    const host = scriptedHost();
    host.print(linesOf(5, 1, 25));
    expect(await follow(host, key)).toEqual({ state: 'ended' });
    expect(await stopOf(key)).toBe('cannot-win');
    const { abort } = (await bench.store.run.findRun(key)) ?? {};
    expect(abort).toMatchObject({ abort: true, audited: false });
    // The time since the launch, whatever the lines say.
    expect(abort?.share).toBeGreaterThanOrEqual(0.25);
  });

  test('frees its slot at once if it was to answer an evaluator; a run that went to its end keeps it', async () => {
    const evaluator = { type: 'interactive', command: 'node ask.mjs', answer: 'node answer.mjs' } as const;
    await insertKnownRuns(bench.db, 'answers', { steps: 100, evaluator });
    const follows = async (n: number, script: (host: ScriptedHost) => void): Promise<MonitorInput> => {
      const key = await insertLaunched(bench.db, 'answers', { kind: 'search', n, fence: n });
      const slot = { id: `fake/${n}`, pool: 'local', host: 'fake', index: n, fence: n };
      await bench.db.insert(slots).values({ ...slot, state: 'leased', jobId: key.jobId });
      const host = scriptedHost();
      script(host);
      expect(await follow(host, key)).toEqual({ state: 'ended' });
      return key;
    };
    const ended = await follows(100, (host) => host.end());
    expect(await bench.store.slot.findLease(ended.jobId)).toMatchObject({ id: 'fake/100' });
    const stopped = await follows(101, (host) => host.print(linesOf(5, 1, 50)));
    expect(await stopOf(stopped)).toBe('cannot-win');
    expect(await bench.store.slot.findLease(stopped.jobId)).toBeUndefined();
  });

  test.each(['injected', 'confirm', 'remeasure', 'baseline'] as const)('goes to its end as %s', async (kind) => {
    await insertKnownRuns(bench.db, kind, { steps: 100 });
    const key = await insertLaunched(bench.db, kind, { kind });
    const host = scriptedHost();
    const following = follow(host, key);
    host.print(linesOf(5, 1, 50));
    await stoppedAsProposal(kind);
    // These lines are read after that, and looked at after that.
    host.print(linesOf(5, 51, 51));
    await Promise.race([following, untilCommitted(key, 51)]);
    host.end();
    expect(await following).toEqual({ state: 'ended' });
    expect(await bench.store.run.findRun(key)).toMatchObject({ stop: null, abort: null, end: { reason: 'exit' } });
  });

  /** Follows the same run as a proposal, until it is stopped. */
  async function stoppedAsProposal(id: string): Promise<void> {
    const key = await insertLaunched(bench.db, id, { kind: 'search', n: 101 });
    const host = scriptedHost();
    host.print(linesOf(5, 1, 50));
    await follow(host, key);
    expect(await stopOf(key)).toBe('cannot-win');
  }
});

describe('a run of CPU time that others kept from its core', () => {
  const waited = { wallSeconds: 30, cpuSeconds: 15, waitSeconds: 15 };

  test('is placed again if the clock judged it, and its stop no longer counts', async () => {
    await insertKnownRuns(bench.db, 'busy', { budget: { kind: 'cpu' } });
    const stopped = async (n: number, how: Partial<RunEnd>): Promise<[MonitorInput, MonitorResult]> => {
      const key = await insertLaunched(bench.db, 'busy', { kind: 'search', n, ago: 25 * STEP_SECONDS });
      const host = scriptedHost(how);
      host.print(linesOf(5, 1, 25));
      const result = await follow(host, key);
      expect(await stopOf(key)).toBe('cannot-win');
      return [key, result];
    };
    expect((await stopped(100, { ...waited, waitSeconds: 0 }))[1]).toEqual({ state: 'ended' });
    const [key, result] = await stopped(101, waited);
    expect(result).toEqual({ state: 'contended' });
    const wishes = () =>
      bench.store.run.countAbortDecisions({ researchId: 'busy', taskHash: 'busy', rule: 'matched-time', most: 30 });
    expect(await wishes()).toBe(2);
    await bench.db.update(trials).set({ placement: 1 }).where(eq(trials.id, key.jobId));
    expect(await wishes()).toBe(1);
  });

  test('is stopped for good if its own steps judged it', async () => {
    await insertKnownRuns(bench.db, 'busy-steps', { budget: { kind: 'cpu' }, steps: 100 });
    const key = await insertLaunched(bench.db, 'busy-steps', { kind: 'search' });
    const host = scriptedHost(waited);
    host.print(linesOf(5, 1, 50));
    expect(await follow(host, key)).toEqual({ state: 'ended' });
    expect(await stopOf(key)).toBe('cannot-win');
  });
});
