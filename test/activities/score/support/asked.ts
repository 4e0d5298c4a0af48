import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MockActivityEnvironment } from '@temporalio/testing';
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect } from 'vitest';
import type { ActivityDeps } from '../../../../activities/deps.ts';
import { createMonitorActivities } from '../../../../activities/monitor.ts';
import { createScoreActivities, createScoreTrial } from '../../../../activities/score.ts';
import { createScorePlaces } from '../../../../activities/score/score-in-monitor.ts';
import { trials } from '../../../../db/schema.ts';
import { Fleet } from '../../../../domain/fleet/fleet.ts';
import type { FailedRun } from '../../../../domain/fleet/gpus.ts';
import type { Compute, Conversation, RunEnd } from '../../../../infra/compute.ts';
import { createLocalCompute } from '../../../../infra/compute/local.ts';
import { layoutOf, runDirectory } from '../../../../infra/compute/run-protocol/paths.ts';
import { createEvaluator } from '../../../../infra/evaluate/create-evaluator.ts';
import { withinTime } from '../../../../infra/within-time.ts';
import { insertSlots, useDatabase } from '../../../db/support.ts';
import { bytes, LIMITS } from '../../../infra/compute/conformance/support.ts';
import { insertKnownRuns, insertLaunched } from '../../monitor/support/known-runs.ts';

const CUDA = 'read -r n; echo "CUDA error: GPU is lost" >&2; exit 1';
/** Blames the candidate if its answers end. */
const ASKS = 'echo 1; read -r line || exit 3; echo "{\\"loss\\": $line}" >&3';

/** Confinements of a program. They show what it can have done; tests set them on any machine. */
export const ALONE = { sandboxed: false, containment: 'process-group' } as const;
export const APART = { sandboxed: true, containment: 'pid-namespace' } as const;

/** The error of scoring a lost run, and the stored state of its trial. */
export const LOST = { type: 'HostLost', nonRetryable: true };
export const nothing = { status: null, failure: null };

/** Ended runs of one test file, on a real local adapter that stands for the host `box`. */
export function useAsked() {
  const bench = useDatabase();
  let home: string;
  let compute: Compute;
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'perpetua-machine-failed-'));
    compute = createLocalCompute({ home, installation: 'machine-failed' });
    await compute.stage('s', [{ path: 'train.mjs', content: bytes('') }]);
    const fleet = { pools: { box: { slots: 'gpu' } }, hosts: [{ name: 'box', pool: 'box' }] };
    await bench.store.host.applyFleet(Fleet.parse(fleet));
    await insertSlots(bench.db, 'box', 20);
  });
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  /** Launches a run of the real supervisor on a slot of the host, of a task whose evaluator asks it. */
  async function launched(
    id: string,
    { answer = CUDA, command = ASKS, runs = 'true' }: { answer?: string; command?: string; runs?: string } = {},
  ) {
    const { store } = bench;
    await bench.db.execute(`update hosts set quarantined_until = null`);
    await insertKnownRuns(bench.db, id, { known: 3, evaluator: { type: 'interactive', command, answer } });
    const key = await insertLaunched(bench.db, id, { kind: 'search', host: 'box', fence: 0 });
    const slotId = (await store.slot.offerSlot({ pool: 'box', host: 'box', holder: 'w' })) ?? '';
    const lease = await store.slot.leaseSlot({ jobId: key.jobId, slotId, holder: 'w' });
    if (!lease) throw new Error('Expected a lease');
    await store.run.beginRun({ ...key, lease });
    const { fence, index } = lease;
    const run = { ...key, fence, slot: { id: slotId, pool: 'box', index, gpu: null }, stageHash: 's', files: [] };
    const spec = { ...run, command: runs, env: {}, limits: LIMITS, sandbox: 'preferred' as const };
    await compute.launch(spec);
    return { key, spec, lease };
  }

  /** A run that has ended, and workers that score it on a host with the shortage `lacks`. */
  async function ended(id: string, { held, ...asked }: { answer?: string; command?: string; held?: object } = {}) {
    const { store } = bench;
    const { key, spec, lease } = await launched(id, asked);
    const looks: (FailedRun | null)[] = [];
    const worker = (
      lacks: string | null,
      more: Partial<Record<'hosts' | 'scoring' | 'machine', object>> & { reach?: ActivityDeps['reach'] } = {},
    ) => {
      const deps = {
        store: {
          ...store,
          slot: { ...store.slot, findLease: async () => ({ ...lease, gpu: 'GPU-0' }) },
        },
        hosts: {
          shortageOf: async (_: string, run: FailedRun | null) => (looks.push(run), lacks),
          computeOf: () => compute,
          isOwnHost: () => false,
          coresOf: () => 1,
          envOf: () => ({}),
          ...more.hosts,
        },
        scoring: { evaluator: createEvaluator({ home }), hmac: () => '00000001', withinTime, ...more.scoring },
        machine: { environment: {}, ...more.machine },
        reach: more.reach ?? (() => undefined),
      } as unknown as ActivityDeps;
      const { monitor } = createMonitorActivities(deps, createScorePlaces(1));
      const { score } = createScoreActivities(deps);
      return {
        toEnd: () => new MockActivityEnvironment().run(createMonitorActivities(deps, null).monitor, key),
        follow: () => new MockActivityEnvironment().run(monitor, key),
        score: () => new MockActivityEnvironment().run(score, key),
        /** Scores as the attempt of that number that follows the run. */
        scoreAs: (follower: number) =>
          new MockActivityEnvironment().run(() =>
            createScoreTrial(deps)({ ...key, follower }, new AbortController().signal),
          ),
      };
    };
    const kept = async () => {
      const [trial] = await bench.db.select().from(trials).where(eq(trials.id, key.jobId));
      const found = await store.run.findRun(key);
      return { status: trial?.status ?? null, failure: trial?.failure ?? null, shortage: found?.shortage ?? null };
    };
    const box = async () => (await store.host.findHosts())[0];
    expect(await worker(null).toEnd()).toEqual({ state: 'ended' });
    if (held)
      await bench.db.execute(
        sql`update runs set "end" = "end" || ${JSON.stringify(held)}::jsonb where trial_id = ${key.jobId}`,
      );
    return { key, spec, lease, worker, looks, kept, box };
  }

  /** A host on which programs that answer come to another end than theirs, in that confinement. */
  const talksThat = (
    come: (end: Promise<RunEnd>) => Promise<RunEnd>,
    confinement: Conversation['confinement'] = ALONE,
  ) => ({
    hosts: {
      computeOf: () => ({
        ...compute,
        converse: async (...args: Parameters<Compute['converse']>) => {
          const talk = await compute.converse(...args);
          return { ...talk, confinement, ended: come(talk.ended) };
        },
      }),
    },
  });

  const directoryOf = (run: { jobId: string; placement: number }) =>
    runDirectory(layoutOf(home, 'machine-failed'), run);
  return { bench, launched, ended, talksThat, computeOfBox: () => compute, directoryOf };
}
