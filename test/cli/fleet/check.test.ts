import { appendFileSync, chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Io } from '../../../cli/io.ts';
import { noGpu } from '../../support/machine/real-gpu.ts';
import { withAgent } from '../../support/machine/ssh-agent.ts';
import { makeKey, noSshd, startSshd, type Sshd } from '../../support/machine/sshd.ts';
import { run } from '../support/cli.ts';
import type { HostCheck } from '../../../cli/fleet/check-host.ts';
import { createMixedGpuCheck } from '../../../cli/fleet/mixed-gpu-check.ts';

/** Script in place of nvidia-smi, on the PATH of the host's sessions. */
const SMI = `#!/bin/sh
case $1 in
-L) cat "$0.list"; [ ! -e "$0.hung" ] || sleep 600 ;;
*query-gpu*) [ ! -e "$0.broken" ] || { echo "Unable to determine the device handle: GPU is lost"; exit 15; }
  echo "0, GPU-aa, Stand-In 80GB, 81920"
  degrees=31; [ ! -e "$0.error" ] || degrees='ERR!'
  echo "1, GPU-bb, Stand-In 80GB, 81920, $degrees, 60.1, 0" ;;
*) [ ! -e "$0.blind" ] || { echo "Insufficient permissions"; exit 4; }
  echo "GPU-bb, 4711" ;;
esac
`;

describe.skipIf(noSshd !== undefined)(`perpetua fleet check ${noSshd ?? ''}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'perpetua-fleet-'));
  const smi = join(folder, 'bin', 'nvidia-smi');
  let box: Sshd;
  beforeAll(async () => {
    mkdirSync(join(folder, 'bin'));
    writeFileSync(smi, SMI);
    chmodSync(smi, 0o755);
    box = await startSshd({ path: join(folder, 'bin'), profile: 'echo welcome\n' });
  });
  afterAll(async () => {
    await box.destroy();
    rmSync(folder, { recursive: true });
  });

  const host = (name: string, more: object = {}) => ({
    name,
    pool: 'gpu',
    address: '127.0.0.1',
    port: box.port,
    user: box.user,
    keyFile: box.key,
    knownHosts: [box.knownHosts],
    ...more,
  });
  /** Checks a fleet of these hosts, written as JSON, which is YAML. */
  const check = (hosts: object[], ...more: string[]) => checkIn({}, hosts, ...more);
  const checkIn = (world: Partial<Io>, hosts: object[], ...more: string[]) => {
    const file = join(folder, 'fleet.yaml');
    const pools = { gpu: { slots: 'gpu' }, cpu: { slots: 'cpu' } };
    writeFileSync(file, JSON.stringify({ pools, hosts }));
    return run(['fleet', 'check', '--file', file, ...more], world);
  };

  // On a machine with GPUs, a run would see the real ones.
  test.skipIf(noGpu === undefined)('reports what a host offers, and that a small run succeeded', async () => {
    const { code, json } = await check([host('box')], '--json');
    expect(code).toBe(0);
    expect(json()).toMatchObject([
      {
        host: 'box',
        pool: 'gpu',
        ok: true,
        slots: 2,
        machine: { gpus: [{ uuid: 'GPU-aa' }, { uuid: 'GPU-bb' }], gpuFault: null },
        problems: expect.arrayContaining(['in use now by processes that are not runs of Perpetua: GPU 1']) as unknown,
      },
    ]);
    const [{ machine, runSeconds }] = json() as [{ machine: Record<string, number>; runSeconds: number }];
    expect(machine.cores).toBeGreaterThan(0);
    expect(machine.memoryMb).toBeGreaterThan(100);
    expect(machine.roomMb).toBeGreaterThan(0);
    expect(Math.abs(machine.clockAhead ?? NaN)).toBeLessThan(60);
    expect(runSeconds).toBeGreaterThan(0);
  });

  test('prints a table, tries the named hosts only, and ends with 1 if one cannot be used', async () => {
    const closed = host('closed', { port: 1 });
    const { code, stdout, stderr } = await check(
      [host('box', { pool: 'cpu' }), closed, host('other')],
      'box',
      'closed',
    );
    expect(code).toBe(1);
    expect(stdout).toMatch(/^host +pool +works +slots/);
    expect(stdout).toMatch(/\nbox +cpu +yes +\d+ +\d+ /);
    expect(stdout).toMatch(/\nclosed +gpu +no +–/);
    expect(stdout).toMatch(/! closed: (?!host closed).*(refused|ECONNREFUSED)/);
    expect(stdout).not.toContain('other');
    expect(stdout).toContain('1 of 2 hosts can run trials');
    expect(stderr).toContain('These hosts cannot run trials now: closed.');
  });

  test('names missing GPUs, and the message of an nvidia-smi that fails', async () => {
    const missing = await check([host('box', { gpus: [7] })], '--json');
    expect(missing.code).toBe(1);
    expect(missing.json()[0]).toMatchObject({
      ok: false,
      slots: 0,
      problems: ['expected the GPUs 7; nvidia-smi names 0 (GPU-aa), 1 (GPU-bb)'],
    });
    writeFileSync(`${smi}.blind`, '');
    const blind = await check([host('box')], '--json');
    rmSync(`${smi}.blind`);
    expect(blind.code).toBe(1);
    expect(blind.json()[0]).toMatchObject({
      slots: 0,
      problems: expect.arrayContaining(['nvidia-smi ended with 4: Insufficient permissions']) as unknown,
    });
    writeFileSync(`${smi}.broken`, '');
    const lost = await check([host('box')], '--json');
    rmSync(`${smi}.broken`);
    expect(lost.code).toBe(1);
    expect(lost.json()[0]).toMatchObject({
      machine: { gpuFault: 'nvidia-smi ended with 15: Unable to determine the device handle: GPU is lost' },
      problems: ['nvidia-smi ended with 15: Unable to determine the device handle: GPU is lost'],
    });
    writeFileSync(`${smi}.error`, '');
    const broken = await check([host('box')], '--json');
    rmSync(`${smi}.error`);
    expect(broken.json()[0]).toMatchObject({
      ok: true,
      slots: 1,
      machine: { gpus: [{ uuid: 'GPU-aa' }], broken: [{ index: 1, uuid: 'GPU-bb' }] },
      problems: ['GPU 1 reports ERR!: no slot until nvidia-smi shows no error (reset the GPU, or reboot)'],
    });
  });

  test('reports what the small run saw if that is not the GPU of its slot', async () => {
    const bin = join(folder, 'bin');
    const seeing = host('box', { path: `${bin}:/usr/bin:/bin`, readable: [bin] });
    const problemsWith = async (list: string): Promise<string[]> => {
      writeFileSync(`${smi}.list`, list);
      const checks = (await check([seeing], '--json')).json() as { problems?: string[] }[];
      return checks
        .flatMap(({ problems = [] }) => problems)
        .filter((problem) => /^expected (the small run to see|nvidia-smi)/.test(problem));
    };
    const seen = 'GPU 0: Stand-In 80GB (UUID: GPU-aa)\n';
    expect(await problemsWith(seen)).toEqual([]);
    expect(await problemsWith(seen.padEnd(1_000_000, '.\n'))).toEqual([]);
    expect(await problemsWith('No devices\nfound.\n')).toEqual([
      'expected the small run to see its GPU GPU-aa; nvidia-smi -L printed in it: No devices found.',
    ]);
    writeFileSync(`${smi}.hung`, '');
    expect(await problemsWith(seen)).toEqual(['expected nvidia-smi -L to end in a run within 30 s; it did not']);
    rmSync(`${smi}.hung`);
  });

  test('notes two hosts that are one machine, also in different pools', async () => {
    const hosts = [host('box'), host('again', { pool: 'cpu' })];
    const checks = (await check(hosts, '--json')).json() as { host: string; ok: boolean; problems: string[] }[];
    const notes = checks.flatMap(({ host: name, problems }) =>
      problems
        .filter((problem) => problem.startsWith('the same machine as'))
        .map((problem) => [name, problem] as const),
    );
    expect(notes).toHaveLength(1);
    const [[name, note] = []] = notes;
    expect(note).toContain(`the same machine as ${name === 'box' ? 'again' : 'box'} (one boot id)`);
    expect(checks.find((result) => result.host === name)).toMatchObject({ ok: true });
    expect((await check(hosts)).stdout).toMatch(/^! (box|again): the same machine as (box|again) /m);
  });

  test("logs in with the user's own agent if the file names no key", async () => {
    const key = join(folder, 'only in the agent');
    appendFileSync(join(box.folder, 'authorized'), `${makeKey(key)}\n`);
    const hosts = [host('box', { keyFile: undefined })];
    const [within, without] = await withAgent(folder, async ({ addAndDelete, socket }) => {
      addAndDelete(key);
      return [await checkIn({ env: { SSH_AUTH_SOCK: socket } }, hosts), await checkIn({ env: {} }, hosts)] as const;
    });
    expect(within.code).toBe(0);
    expect(without.code).toBe(1);
    expect(without.stdout).toContain('refused every key');
  });

  test('refuses a host that the file does not name', async () => {
    const { code, stderr } = await check([host('box')], 'bxo');
    expect(code).toBe(2);
    expect(stderr).toMatch(/^Expected hosts of .*fleet\.yaml \(box\), got bxo\./);
  });
});

describe('a pool with several models of GPU', () => {
  function checked(host: string, pool: string, ...models: string[]): HostCheck {
    const gpus = models.map((name, index) => ({ index, uuid: `GPU-${host}-${index}`, name, memoryMb: 81_920 }));
    return { host, pool, machine: { gpus }, problems: [] } as unknown as HostCheck;
  }

  test('is reported as a problem of the first host with another model, and a pool with one model is not', () => {
    const note = createMixedGpuCheck();
    const hosts = [
      checked('a', 'lab', 'A100', 'A100'),
      checked('b', 'lab', 'A100'),
      checked('c', 'other', 'H100'),
      checked('d', 'lab', 'H100', 'H100'),
      checked('e', 'cpu'),
      { ...checked('f', 'lab'), machine: null },
    ];
    hosts.forEach(note);
    expect(hosts.map(({ problems }) => problems.length)).toEqual([0, 0, 0, 1, 0, 0]);
    expect(hosts[3]?.problems[0]).toContain('its H100 is in one pool with A100 of a');
  });
});
