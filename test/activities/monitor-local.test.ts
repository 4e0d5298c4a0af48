import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { ActivityDeps } from '../../activities/deps.ts';
import { createMonitorActivities, type MonitorInput, type MonitorResult } from '../../activities/monitor.ts';
import { readPoints, readTrial } from '../../db/reads/read-trial.ts';
import type { Store } from '../../db/store.ts';
import type { Compute, RunRef } from '../../infra/compute.ts';
import { createLocalCompute } from '../../infra/compute/local.ts';
import { withinTime } from '../../infra/within-time.ts';
import { useDatabase } from '../db/support.ts';
import { fallingTo, STEPS } from '../domain/abort/support.ts';
import { bytes, LIMITS } from '../infra/compute/conformance/support.ts';
import { insertKnownRuns, insertLaunched } from './monitor/support/known-runs.ts';

const bench = useDatabase();
let home: string;
let compute: Compute;
const launched: RunRef[] = [];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'perpetua-monitor-'));
  compute = createLocalCompute({ home, installation: 'monitor' });
});
afterEach(async () => {
  await Promise.all(launched.splice(0).map((run) => compute.kill(run, 1)));
  rmSync(home, { recursive: true, force: true });
});

/** Starts a run that prints these lines at once, leaves them as `model.txt`, and waits for the file `go`. */
async function launch(id: string, lines: readonly string[]): Promise<{ key: MonitorInput; go: string }> {
  const key = await insertLaunched(bench.db, id, { kind: 'search' });
  const go = join(home, `go-${id}`);
  await compute.stage('s', [{ path: 'train.mjs', content: bytes('') }]);
  launched.push(key);
  await compute.launch({
    ...key,
    fence: 1,
    slot: { id: 'fake/0', pool: 'local', index: 0, gpu: null },
    stageHash: 's',
    files: [{ path: 'lines.txt', content: bytes(lines.map((line) => `${line}\n`).join('')) }],
    command: 'cp lines.txt model.txt; cat lines.txt; while [ ! -e "$GO" ]; do sleep .1; done',
    env: { GO: go, PATH: process.env.PATH ?? '' },
    limits: { ...LIMITS, wallSeconds: 600 },
    sandbox: 'none',
  });
  return { key, go };
}

/** Follows a run of the real supervisor to its end. */
function follow(key: MonitorInput, statements: Partial<Store['research']> = {}): Promise<MonitorResult> {
  const deps = {
    store: { ...bench.store, research: { ...bench.store.research, ...statements } },
    hosts: { computeOf: (): Compute => compute, isOwnHost: () => true },
    machine: { freeDisk: () => Promise.resolve({ bytes: 2 ** 40, files: null }) },
    scoring: { withinTime },
    reach: () => undefined,
  };
  const { monitor } = createMonitorActivities(deps as unknown as ActivityDeps, null);
  return new MockActivityEnvironment().run(monitor, key);
}

const half = (final: number): number[] => fallingTo(final, { until: STEPS / 2 }).map(({ value }) => value);
const curveOf = async (key: MonitorInput): Promise<number[]> =>
  (await bench.store.run.loadCurve({ ...key, most: STEPS })).map(({ value }) => value);

describe('a run that cannot win, on the real supervisor', () => {
  test('leaves its artefacts and its curve to be read when it is stopped and its directory is gone', async () => {
    await insertKnownRuns(bench.db, 'kept', { steps: STEPS, artefacts: ['model.txt', 'never.txt'] });
    const lines = half(5).map((value, i) => `step ${i + 1} loss ${value}`);
    const { key } = await launch('kept', lines);
    expect(await follow(key)).toEqual({ state: 'ended' });
    expect(await bench.store.run.findRun(key)).toMatchObject({
      stop: { label: 'cannot-win' },
      abort: { abort: true, audited: false },
      end: { reason: 'killed', treeGone: true, missing: ['never.txt'] },
    });
    rmSync(home, { recursive: true, force: true });
    const artefacts = await bench.store.run.loadArtefacts(key);
    expect(artefacts.map(({ path, content }) => [path, Buffer.from(content).toString()])).toEqual([
      ['model.txt', lines.map((line) => `${line}\n`).join('')],
    ]);
    expect(await curveOf(key)).toEqual(half(5));
    // The data that `perpetua show` draws.
    expect((await readTrial(bench.db, { trialId: key.jobId }))?.runs[0]?.abort).toMatchObject({ abort: true });
    expect((await readPoints(bench.db, { trialId: key.jobId })).map(({ value }) => value)).toEqual(half(5));
  });

  const FORMATS = {
    text: {
      progress: { pattern: '^step (?<step>\\d+) .*\\bloss (?<value>\\S+)' },
      line: (step: number, loss: number, other: number) =>
        `step ${step} aux_loss ${other} loss ${loss} late_loss ${other}`,
    },
    json: {
      progress: { format: 'json', value: 'loss' },
      line: (step: number, loss: number, other: number) =>
        JSON.stringify({ aux_loss: other, step, loss, nested: { loss: other } }),
    },
  } as const;

  describe.each(['text', 'json'] as const)('that reports several metrics as %s', (format) => {
    const { progress, line } = FORMATS[format];
    const linesOf = (losses: number[], others: number[]): string[] =>
      losses.map((loss, i) => line(i + 1, loss, others[i] ?? 0));

    test('is stopped by the metric that the task names', async () => {
      const id = `stopped-${format}`;
      await insertKnownRuns(bench.db, id, { steps: STEPS, progress });
      const { key } = await launch(id, linesOf(half(5), half(0.5)));
      expect(await follow(key)).toEqual({ state: 'ended' });
      expect(await bench.store.run.findRun(key)).toMatchObject({ stop: { label: 'cannot-win' } });
      expect(await curveOf(key)).toEqual(half(5));
    });

    test('goes on by that metric, however bad the others are', async () => {
      const id = `alive-${format}`;
      await insertKnownRuns(bench.db, id, { steps: STEPS, progress });
      const { key, go } = await launch(id, linesOf(half(0.9), half(5)));
      let asked = 0;
      const findResearch: Store['research']['findResearch'] = async (researchId) => {
        const found = await bench.store.research.findResearch(researchId);
        asked += 1;
        return found;
      };
      const following = follow(key, { findResearch });
      // The value to beat is read last before a decision.
      await expect.poll(() => asked).toBeGreaterThan(0);
      writeFileSync(go, '');
      expect(await following).toEqual({ state: 'ended' });
      expect(await bench.store.run.findRun(key)).toMatchObject({
        stop: null,
        abort: { abort: false },
        end: { reason: 'exit', exitCode: 0 },
      });
      expect(await curveOf(key)).toEqual(half(0.9));
    });
  });
});
