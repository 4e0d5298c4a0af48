import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connect } from '../../../db/connect.ts';
import { applyFleet } from '../../../db/host/apply-fleet.ts';
import { drainHosts } from '../../../db/host/fleet.ts';
import { requestProbe } from '../../../db/host/host-probes.ts';
import { Fleet } from '../../../domain/fleet/fleet.ts';
import { FAULTS } from '../../support/e2e/fault-table.ts';
import {
  expectReleased,
  release,
  slowTask,
  trialsOf,
  untilRunning,
  untilStopped,
} from '../../support/e2e/slow-task.ts';
import { isRunning } from '../../support/process/is-running.ts';
import { mountSmallDisk, noSmallDisks, unmount } from '../../support/machine/small-disk.ts';
import { noSshd, startSshd, type Sshd } from '../../support/machine/sshd.ts';
import { startTestStack, type TestStack, type TestWorker } from '../../support/stack.ts';

/** Size of the disk in MiB: more than a host needs to lend slots. */
const DISK_MB = 320;

/** A run that is held in its middle. Then it uses its GPU and its disk, and fails if one is gone or used by others. */
const run = (): string => `. ./knobs.env
echo "step 1 loss 9"
while [ -e "$HOLD" ]; do sleep .1; done
if [ -e "${gone()}-$CUDA_VISIBLE_DEVICES" ]; then echo "CUDA error: device lost" >&2; exit 1; fi
if [ -e "${used()}-$CUDA_VISIBLE_DEVICES" ]; then echo "CUDA out of memory" >&2; exit 1; fi
head -c 4000000 /dev/zero > big || exit 1
echo "step 2 loss 8"
echo "$X" > out.txt
`;

let stack: TestStack;
let worker: TestWorker;
let database: ReturnType<typeof connect>;
const sshds: Sshd[] = [];
const gpus: Record<string, string> = {};
let disk: string;

/**
 * A test host with one GPU of a stand-in for nvidia-smi, which fails as the real one does when its GPU fell off, and
 * lists the processes on it that a test wrote down.
 */
async function startBox(name: string, { gpu = false, scratch }: { gpu?: boolean; scratch?: string } = {}) {
  const sshd = await startSshd({ path: 'bin' });
  sshds.push(sshd);
  if (gpu) {
    const uuid = (gpus[name] = `GPU-${randomUUID()}`);
    const fails = 'echo "Unable to determine the device handle for GPU 0000:41:00.0: Unknown Error"; exit 15';
    const script = `#!/bin/sh
if [ -e "${gone()}-${uuid}" ]; then ${fails}; fi
case $1 in *memory.total*) echo "0, ${uuid}, Stand-In, 81920" ;; *) cat "${used()}-${uuid}" 2>/dev/null || : ;; esac
`;
    mkdirSync(join(sshd.home, 'bin'));
    writeFileSync(join(sshd.home, 'bin', 'nvidia-smi'), script, { mode: 0o755 });
  }
  const { address, port, user, key, knownHosts } = sshd;
  return {
    name,
    pool: gpu ? 'gpu' : 'disk',
    address,
    port,
    user,
    keyFile: key,
    knownHosts: [knownHosts],
    ...(gpu ? { gpus: 'auto' } : { slots: 1 }),
    ...(scratch === undefined ? {} : { scratch }),
  };
}

const gone = (): string => join(stack.home, 'gone');
const used = (): string => join(stack.home, 'used');
const untilWell = (...names: string[]): Promise<void> =>
  stack.until(
    `${names.join(' and ')} to be well`,
    `select count(*) = $2 as done, json_agg(last_error) from hosts
     where name = any($1) and seen_at is not null and quarantined_until is null`,
    [names, names.length],
  );
/** Waits until the host lends nothing, for that reason. */
const untilHeld = (name: string, why: string): Promise<void> =>
  stack.until(
    `${name} to be held`,
    `select quarantined_until is not null and last_error like $2 as done, last_error from hosts where name = $1`,
    [name, `%${why}%`],
  );
/** Waits until the host is well, with that note of its last probe. */
const untilNoted = (name: string, note: string | null): Promise<void> =>
  stack.until(
    `${name} not to be in quarantine, with the note: ${note}`,
    `select quarantined_until is null and note is not distinct from $2 as done, note, last_error
     from hosts where name = $1`,
    [name, note],
  );
const wantedSlots = (name: string) =>
  stack.query<{ id: string }>(`select id from slots where host = $1 and wanted`, [name]);
const placements = (id: string) =>
  stack.query<{ placement: number; host: string; shortage: string | null }>(
    `select placement, host, shortage from runs where trial_id = $1 order by placement`,
    [`${id}/1`],
  );

/** Starts a research and holds its first run on the first host. Afterwards the second host serves, too. */
async function holdOn(
  first: string,
  second: string,
  id: string,
  options: Parameters<typeof slowTask>[2] = {},
): Promise<void> {
  await drainHosts(database.db, { names: [second], drain: true });
  const pool = first.startsWith('gpu') ? 'gpu' : 'disk';
  const files = { 'workspace/run.sh': run(), ...options.files };
  const task = await slowTask(stack, id, { held: true, pool, ...options, files });
  await stack.startResearch(id, { task, window: 1, budget: { trials: 1 } });
  await untilRunning(stack, id);
  await drainHosts(database.db, { names: [second], drain: false });
}

/** Expects that the host is blamed for the first run, and that the trial ran once more on another host. */
async function expectMoved(id: string, { from, to }: { from: string; to: string }): Promise<void> {
  await untilStopped(stack, id);
  const [first, ...others] = await trialsOf(stack, id);
  expect([first, ...others].map((trial) => trial?.status)).toEqual(['completed', ...others.map(() => 'completed')]);
  expect((await placements(id)).map(({ host }) => host)).toEqual([from, to]);
  await expectReleased(stack, id);
}

describe.skipIf(noSshd !== undefined)(`hosts that fall short in mid-run ${noSshd ?? ''}`, () => {
  beforeAll(async () => {
    stack = await startTestStack();
    database = connect(stack.databaseUrl, { max: 2, onError: () => undefined });
    disk = join(stack.home, 'disk');
    mkdirSync(disk);
    if (noSmallDisks === undefined) mountSmallDisk(disk, DISK_MB);
    const hosts = [
      await startBox('gpu-a', { gpu: true }),
      await startBox('gpu-b', { gpu: true }),
      ...(noSmallDisks === undefined ? [await startBox('disk-a', { scratch: disk }), await startBox('disk-b')] : []),
    ];
    worker = await stack.startWorker({ slots: 1 });
    const pools = { gpu: { slots: 'gpu' }, ...(noSmallDisks === undefined ? { disk: { slots: 'cpu' } } : {}) };
    await applyFleet(database.db, Fleet.parse({ pools, hosts }));
    await untilWell(...hosts.map(({ name }) => name));
  });
  afterAll(async () => {
    await worker.stop();
    await database.close();
    await Promise.all(sshds.map((sshd) => sshd.destroy()));
    unmount(disk);
    await stack.stop();
  });

  const GPU_GONE = 'Unable to determine the device handle';

  test('a GPU that falls off fails no candidate: its run moves to another host, and its host rests', async () => {
    await holdOn('gpu-a', 'gpu-b', 'fell-off');
    writeFileSync(`${gone()}-${gpus['gpu-a'] ?? ''}`, '');
    release(stack, 'fell-off');
    await expectMoved('fell-off', { from: 'gpu-a', to: 'gpu-b' });
    expect((await placements('fell-off'))[0]?.shortage).toContain(GPU_GONE);
    await untilHeld('gpu-a', GPU_GONE);
    rmSync(`${gone()}-${gpus['gpu-a'] ?? ''}`);
    await drainHosts(database.db, { names: ['gpu-a'], drain: false });
    await untilWell('gpu-a');
  });

  test('a GPU that others use fails no candidate: its run moves to another host, and the GPU is not lent', async () => {
    const somebody = spawn('sleep', ['4878']);
    await once(somebody, 'spawn');
    const uuid = gpus['gpu-a'] ?? '';
    await holdOn('gpu-a', 'gpu-b', 'beside');
    writeFileSync(`${used()}-${uuid}`, `${uuid}, ${somebody.pid}\n`);
    release(stack, 'beside');
    await expectMoved('beside', { from: 'gpu-a', to: 'gpu-b' });
    expect((await placements('beside'))[0]?.shortage).toBe('in use by others: GPU 0');
    await untilNoted('gpu-a', 'in use by others: GPU 0');
    expect(await wantedSlots('gpu-a')).toEqual([]);
    expect(isRunning(somebody.pid ?? 0)).toBe(true);
    somebody.kill('SIGKILL');
    rmSync(`${used()}-${uuid}`);
    await requestProbe(database.db, 'gpu-a');
    await untilNoted('gpu-a', null);
    expect(await wantedSlots('gpu-a')).toHaveLength(1);
  });

  test('a GPU that falls off while the run is asked fails no candidate either', async () => {
    const uuid = gpus['gpu-a'] ?? '';
    const answer = `read -r n; [ "$CUDA_VISIBLE_DEVICES" != ${uuid} ] || : > ${gone()}-${uuid}
if [ -e "${gone()}-$CUDA_VISIBLE_DEVICES" ]; then echo "CUDA error: GPU is lost" >&2; exit 1; fi; echo 9\n`;
    await holdOn('gpu-a', 'gpu-b', 'asked', {
      task: { evaluator: { type: 'interactive', command: 'sh ask.sh', answer: 'sh answer.sh' } },
      files: {
        'workspace/answer.sh': answer,
        'evaluator/ask.sh': `echo question; read -r answer || exit 3; printf '{"score": -%s}' "$answer" >&3\n`,
      },
    });
    release(stack, 'asked');
    await expectMoved('asked', { from: 'gpu-a', to: 'gpu-b' });
    expect((await placements('asked'))[0]?.shortage).toContain(GPU_GONE);
    await untilHeld('gpu-a', GPU_GONE);
    rmSync(`${gone()}-${uuid}`);
    await drainHosts(database.db, { names: ['gpu-a'], drain: false });
    await untilWell('gpu-a');
  });

  test('a worker that dies when it has found a GPU gone still leaves the fault with the machine', async () => {
    await worker.stop();
    worker = await stack.startWorker({ slots: 1, killAt: FAULTS['worker-dies-blaming/ssh/random'][0] });
    await holdOn('gpu-b', 'gpu-a', 'found-twice');
    writeFileSync(`${gone()}-${gpus['gpu-b'] ?? ''}`, '');
    release(stack, 'found-twice');
    await worker.gone;
    expect(worker.process.signalCode).toBe('SIGKILL');
    // The GPU is back meanwhile, and the decision stands.
    rmSync(`${gone()}-${gpus['gpu-b'] ?? ''}`);
    worker = await stack.startWorker({ slots: 1 });
    await expectMoved('found-twice', { from: 'gpu-b', to: 'gpu-a' });
    expect((await placements('found-twice'))[0]?.shortage).toContain(GPU_GONE);
  });

  test.skipIf(noSmallDisks !== undefined)(
    `a disk that fills fails no candidate: its run moves to another host, until there is room ${noSmallDisks ?? ''}`,
    async () => {
      await holdOn('disk-a', 'disk-b', 'filled');
      const filler = join(disk, 'of-somebody-else');
      expect(() => writeFileSync(filler, Buffer.alloc(DISK_MB << 20))).toThrow('ENOSPC');
      release(stack, 'filled');
      // The run is lost if its supervisor could not store its end, else failed by the machine.
      await expectMoved('filled', { from: 'disk-a', to: 'disk-b' });
      await untilHeld('disk-a', 'MiB of room');
      rmSync(filler);
      await drainHosts(database.db, { names: ['disk-a'], drain: false });
      await untilWell('disk-a');
    },
  );

  test.skipIf(noSmallDisks !== undefined)(
    `a candidate that fills the disk within its limit is lost twice, and its host serves again ${noSmallDisks ?? ''}`,
    async () => {
      // Less than diskMb, and more than the host can spare of its disk.
      const files = { 'workspace/run.sh': `head -c 75000000 /dev/zero > big; echo "$?" > out.txt; exit 1\n` };
      const task = await slowTask(stack, 'fills', { pool: 'disk', diskMb: 80, files });
      await drainHosts(database.db, { names: ['disk-b'], drain: true });
      await stack.startResearch('fills', { task, window: 1, budget: { trials: 1 } });
      await stack.until('the trial to end', `select status is not null as done from trials where id = 'fills/1'`);
      const [first] = await trialsOf(stack, 'fills');
      expect(first).toMatchObject({ status: 'lost', failure: 'machine-lost', placement: 1, runs: 2 });
      await stack.client.workflow.getHandle('fills').signal('stop', { now: true });
      await untilStopped(stack, 'fills');
      await expectReleased(stack, 'fills');
      await untilWell('disk-a');
    },
  );
});
