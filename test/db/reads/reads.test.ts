import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { blobs, candidates, hosts, points, runs, slots, taskFiles, taskVersions, trials } from '../../../db/schema.ts';
import { preparationWait } from '../../../domain/fleet/preparing.ts';
import type { FleetHost, FleetPool } from '../../../domain/fleet/fleet.ts';
import { readNeeded } from '../../../db/reads/read-needed.ts';
import { readQueue } from '../../../db/reads/status/read-queue.ts';
import { readRulings } from '../../../db/reads/read-rulings.ts';
import { readRunning } from '../../../db/reads/status/read-running.ts';
import { readSlots } from '../../../db/reads/read-status.ts';
import { readCandidateFiles, readWorkspace } from '../../../db/reads/read-files.ts';
import { BASELINE, insertResearch, insertStory, trialRow, WINNER, storeTrials } from '../../cli/support/lineage.ts';
import { sharedServer, type Lineage, type Server } from '../../cli/support/database.ts';

let server: Server;
let lineage: Lineage;

beforeAll(async () => {
  server = sharedServer();
  lineage = await server.open();
  await insertResearch(lineage.db, 'files');
});

afterAll(async () => {
  await lineage.close();
});

describe('the trials under way', () => {
  it('have their stage, with the last point of the last placement', async () => {
    const own = await server.open();
    await insertStory(own.db, 'toy');
    await insertResearch(own.db, 'stages');
    const now = new Date();
    await storeTrials(own.db, [
      trialRow('stages', 1),
      trialRow('stages', 2, { candidateId: WINNER, readyAt: now }),
      trialRow('stages', 3, { candidateId: WINNER, readyAt: now }),
      trialRow('stages', 4, { candidateId: WINNER, readyAt: now }),
      trialRow('stages', 5, { candidateId: WINNER, readyAt: now }),
      trialRow('stages', 6, { candidateId: WINNER, readyAt: now }),
      trialRow('stages', 7, { candidateId: WINNER, readyAt: now }),
      trialRow('stages', 8, { candidateId: WINNER, readyAt: now }),
      trialRow('stages', 9, { candidateId: WINNER, readyAt: now }),
      // Trial 10 has no slot, and its host is being prepared.
      trialRow('stages', 10, { candidateId: WINNER, readyAt: now, waitsFor: preparationWait('Python', 'h') }),
    ]);
    const run = { host: 'h', slotId: 's', fence: 1, launchedAt: new Date(now.getTime() - 60_000) };
    await own.db.insert(runs).values([
      { ...run, jobId: 'stages/3', placement: 0, endedAt: now },
      { ...run, jobId: 'stages/3', placement: 1, fence: 2 },
      { ...run, jobId: 'stages/4', placement: 0, endedAt: now, end: { reason: 'exit' } },
      // In this order: lost with the machine, failed by the machine, killed, on a host that stays away.
      { ...run, jobId: 'stages/5', placement: 0, endedAt: now },
      { ...run, jobId: 'stages/6', placement: 0, endedAt: now, end: { reason: 'exit' }, shortage: 'no GPU' },
      { ...run, jobId: 'stages/7', placement: 0, endedAt: now, end: { reason: 'killed' } },
      { ...run, jobId: 'stages/8', placement: 0 },
    ]);
    await own.db
      .insert(slots)
      .values({ id: 's', pool: 'local', host: 'h', index: 0, state: 'leased', jobId: 'stages/3', fence: 2 });
    // Trial 9 has its slot, and its host is being prepared.
    await own.db
      .insert(slots)
      .values({ id: 'next', pool: 'local', host: 'h', index: 1, state: 'leased', jobId: 'stages/9', fence: 3 });
    const point = { jobId: 'stages/3', elapsed: 0 };
    await own.db.insert(points).values([
      { ...point, placement: 0, seq: 5, step: 500, value: 9 },
      { ...point, placement: 1, seq: 0, step: 1, value: 3 },
      { ...point, placement: 1, seq: 1, step: 2, value: 2 },
    ]);
    const found = await readRunning(own.db, { researchId: 'stages' });
    expect(found.map(({ n, stage, slot, step, value }) => ({ n, stage, slot, step, value }))).toEqual([
      { n: 1, stage: 'proposing', slot: null, step: null, value: null },
      { n: 2, stage: 'queued', slot: null, step: null, value: null },
      { n: 3, stage: 'running', slot: 's', step: 2, value: 2 },
      { n: 4, stage: 'scoring', slot: null, step: null, value: null },
      { n: 5, stage: 'queued', slot: null, step: null, value: null },
      { n: 6, stage: 'queued', slot: null, step: null, value: null },
      { n: 7, stage: 'queued', slot: null, step: null, value: null },
      { n: 8, stage: 'queued', slot: null, step: null, value: null },
      { n: 9, stage: 'preparing', slot: null, step: null, value: null },
      { n: 10, stage: 'preparing', slot: null, step: null, value: null },
    ]);
    expect(found[2]?.seconds).toBeGreaterThan(59);
    await own.close();
  });
});

describe('the queue of trials', () => {
  const slot = (host: string, more: object = {}) => ({ id: `${host}/0`, pool: 'lab', host, index: 0, ...more });

  it('is null while no trial is ready, or if each ready trial has its slot, even during setup', async () => {
    const own = await server.open();
    await insertStory(own.db, 'toy');
    await insertResearch(own.db, 'busy');
    const ready = { candidateId: WINNER, readyAt: new Date() };
    await storeTrials(own.db, [trialRow('busy', 1), trialRow('busy', 2, ready), trialRow('busy', 3, ready)]);
    await own.db
      .insert(runs)
      .values({ jobId: 'busy/2', placement: 0, host: 'a', slotId: 'a/0', fence: 1, launchedAt: new Date() });
    await own.db
      .insert(slots)
      .values([
        slot('a', { state: 'leased', jobId: 'busy/2', fence: 1 }),
        slot('b', { state: 'leased', jobId: 'busy/3', fence: 2 }),
      ]);
    expect(await readQueue(own.db, { researchId: 'busy' })).toBeNull();
    await own.close();
  });

  it('is a slot of its pool: how many there are and are taken, and why hosts lend none', async () => {
    const own = await server.open();
    await insertStory(own.db, 'toy');
    const ago = (seconds: number): Date => new Date(Date.now() - seconds * 1000);
    const host = (name: string, more: object = {}) => ({
      name,
      pool: 'lab',
      spec: {} as FleetHost,
      poolSpec: {} as FleetPool,
      seenAt: new Date(),
      ...more,
    });
    await own.db
      .insert(hosts)
      .values([
        host('a-well'),
        host('b-drained', { state: 'draining' }),
        host('c-ill', { quarantinedUntil: new Date(), lastError: 'no route to host' }),
        host('d-new', { seenAt: null }),
        host('e-full', { note: 'in use by others: GPU 0' }),
        host('f-removed', { state: 'removed' }),
        host('g-elsewhere', { pool: 'other', state: 'draining' }),
      ]);
    await own.db
      .insert(slots)
      .values([
        slot('a-well', { state: 'leased', jobId: 'other/1', leasedAt: ago(60) }),
        slot('b-drained', { state: 'leased', jobId: 'other/2', leasedAt: ago(7200) }),
        slot('c-ill', { state: 'free' }),
      ]);
    await insertResearch(own.db, 'waits');
    await storeTrials(own.db, [
      trialRow('waits', 1, { candidateId: WINNER, readyAt: ago(30), pool: 'lab' }),
      trialRow('waits', 2, { candidateId: WINNER, readyAt: ago(1000), pool: 'lab' }),
      trialRow('waits', 3, { candidateId: WINNER, readyAt: ago(20), pool: 'other' }),
    ]);
    const lost = { jobId: 'waits/2', placement: 0, host: 'a-well', slotId: 's', fence: 1 };
    await own.db.insert(runs).values({ ...lost, launchedAt: ago(400), endedAt: ago(190) });
    const queue = await readQueue(own.db, { researchId: 'waits' });
    expect(queue).toEqual({
      pool: 'lab',
      trials: 2,
      slots: 2,
      taken: 2,
      seconds: expect.closeTo(190, -2) as number,
      holders: [
        { trial: 'other/2', seconds: expect.closeTo(7200, -2) as number },
        { trial: 'other/1', seconds: expect.closeTo(60, -2) as number },
      ],
      away: [
        { host: 'b-drained', why: 'is drained' },
        { host: 'c-ill', why: 'is in quarantine: no route to host' },
        { host: 'd-new', why: 'was not reached yet' },
        { host: 'e-full', why: 'lends no slot: in use by others: GPU 0' },
      ],
    });
    await own.close();
  });
});

describe('the last rulings', () => {
  it('are those on proposals, with the latest ruling first', async () => {
    const own = await server.open();
    await insertStory(own.db, 'toy');
    const numbers = async () => (await readRulings(own.db, { researchId: 'toy', limit: 9 })).map(({ n }) => n);
    expect(await numbers()).toEqual([5, 4]);
    const ruled = { verdict: 'discard' as const, ruledAt: new Date() };
    await own.db.update(trials).set(ruled).where(eq(trials.n, 4));
    expect(await numbers()).toEqual([4, 5]);
    await own.close();
  });
});

describe('the runs that clean must keep', () => {
  it('are running ones with their next placement, kept ones and the last ones, with the stages in use', async () => {
    const own = await server.open();
    await insertStory(own.db, 'toy');
    const old = { name: 'toy', task: (await own.db.select().from(taskVersions))[0]!.task };
    const version = { ...old, yaml: '', immutableHash: '', evaluatorHash: '', metricKey: '', mutablePaths: [] };
    await own.db.insert(taskVersions).values({ ...version, hash: 'task-0', stageHash: 'old' });
    const environment = { python: '3.11', lock: 'l.txt' };
    await own.db.update(taskVersions).set({ task: { ...old.task, environment } });
    await own.db.insert(blobs).values({ hash: 'of-lock', content: Buffer.from('') });
    const file = { role: 'environment' as const, path: 'l.txt', blobHash: 'of-lock', executable: false };
    await own.db.insert(taskFiles).values(['task-0', 'task-1'].map((taskHash) => ({ ...file, taskHash })));
    await own.db
      .insert(runs)
      .values([1, 4, 6].map((n) => ({ jobId: `toy/${n}`, placement: 0, host: 'h', slotId: 's', fence: n })));
    const needed = await readNeeded(own.db, { last: 0 });
    await own.close();
    const keys = needed.runs.map((run) => `${run.jobId}.${run.placement}`);
    expect(keys.sort()).toEqual(['toy/4.0', 'toy/6.0', 'toy/6.1']);
    expect(needed.stages).toEqual(['s']);
    expect(needed.environments).toEqual([{ environment, files: [{ path: 'l.txt', hash: 'of-lock' }] }]);
  });

  it('include the last trials of each research', async () => {
    const own = await server.open();
    await insertStory(own.db, 'toy');
    const { runs: kept } = await readNeeded(own.db, { last: 3 });
    await own.close();
    expect([...new Set(kept.map((run) => run.jobId))].sort()).toEqual(['toy/4', 'toy/5', 'toy/6']);
  });
});

describe('slots', () => {
  it('of a pool count without the retired ones', async () => {
    const slot = { pool: 'local', host: 'h', index: 0 };
    await lineage.db.insert(slots).values([
      { ...slot, id: 'a', state: 'free' },
      { ...slot, id: 'b', state: 'leased', jobId: 't' },
      { ...slot, id: 'c', state: 'retired' },
      { ...slot, id: 'd', state: 'offered' },
      { ...slot, id: 'e', state: 'free', pool: 'lab' },
    ]);
    expect(await readSlots(lineage.db, { pool: 'local' })).toEqual({ total: 3, leased: 1 });
  });
});

describe('the files of a candidate', () => {
  it('replace those of the workspace, and others come from the workspace', async () => {
    await lineage.db.insert(candidates).values({ id: 'bare', immutableHash: 'i', files: {} });
    const paths = async (candidateId: string) =>
      (await readWorkspace(lineage.db, { candidateId, taskHash: 'task-1' }))?.map((file) => file.path);
    expect(await paths(BASELINE)).toEqual(['bin/run.sh', 'train.mjs']);
    expect(await paths('bare')).toEqual(['bin/run.sh', 'train.mjs']);
  });

  it('are undefined for an unknown candidate, and an error if rows are lost', async () => {
    expect(await readCandidateFiles(lineage.db, { candidateId: 'x' })).toBeUndefined();
    expect(await readWorkspace(lineage.db, { candidateId: BASELINE, taskHash: 'x' })).toBeUndefined();
    await lineage.db.insert(candidates).values({ id: 'lost', immutableHash: 'i', files: { a: 'gone' } });
    await expect(readCandidateFiles(lineage.db, { candidateId: 'lost' })).rejects.toThrow('lost rows');
  });
});
