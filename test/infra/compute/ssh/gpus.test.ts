import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { processesOf } from '../../../support/database/ledger.ts';
import { signalAll } from '../../../support/process/signal.ts';
import { noSshd, noUsers } from '../../../support/machine/sshd.ts';
import { followToEnd } from '../conformance/support.ts';
import { testHosts } from './support/hosts.ts';
import { killSupervisor, LONG, sharedBox, TELLS_OPEN } from './support/shared-box.ts';

const hosts = testHosts();
const box = (options?: Parameters<typeof sharedBox>[1]) => sharedBox(hosts, options);

describe.skipIf(noSshd !== undefined)(`GPUs of a host that two installations use ${noSshd ?? ''}`, () => {
  it('are held by the runs of one at a time, and each sees what the other holds', async () => {
    const { gpus, on, heldBy, ours, theirs } = await box();
    const [first, second] = gpus;
    const run = { ...on('sleep 4830', first), ...LONG };
    await ours.launch(run);
    const refused = on('echo never', second, first);
    await expect(theirs.launch(refused)).rejects.toMatchObject({
      name: 'SlotTakenError',
      message: `host box: ${first} is held by another installation of Perpetua (ours)`,
    });
    expect((await theirs.inspect(refused)).state).toBe('staged');
    expect(await heldBy(theirs)).toEqual([first]);
    expect(await heldBy(ours)).toEqual([]);
    // Several slots of one installation share a GPU, and the other GPU is free.
    const beside = on('echo "beside $CUDA_VISIBLE_DEVICES"', first);
    await ours.launch(beside);
    expect((await followToEnd(ours, beside)).text).toBe(`beside ${first}\n`);
    const other = on('echo other', second);
    await theirs.launch(other);
    expect((await followToEnd(theirs, other)).text).toBe('other\n');
    // The launch that was refused goes through once the GPU is free.
    await ours.kill(run, run.fence);
    await expect.poll(() => heldBy(theirs)).toEqual([]);
    await theirs.launch(refused);
    expect((await followToEnd(theirs, refused)).text).toBe('never\n');
    expect(await heldBy(theirs)).toEqual([]);
  });

  it.skipIf(noUsers !== undefined).each([
    ['two ordinary users', ['perpetua-host-1', 'perpetua-host-2']],
    ['root and then an ordinary user', [undefined, 'perpetua-host-1']],
    ['an ordinary user and then root', ['perpetua-host-1', undefined]],
  ])(`are held by one at a time for %s, too ${noUsers ?? ''}`, async (_, users) => {
    const { gpus, on, heldBy, ours, theirs } = await box({ users });
    const run = { ...on('exec sleep 4833', gpus[0]), ...LONG };
    await ours.launch(run);
    const refused = on('echo mine', gpus[0]);
    const why = `host box: ${gpus[0]} is held by another installation of Perpetua (ours)`;
    await expect(theirs.launch(refused)).rejects.toMatchObject({ name: 'SlotTakenError', message: why });
    expect(await heldBy(theirs)).toEqual([gpus[0]]);
    await ours.kill(run, run.fence);
    await expect.poll(() => heldBy(theirs)).toEqual([]);
    await theirs.launch(refused);
    expect((await followToEnd(theirs, refused)).text).toBe('mine\n');
    await expect.poll(() => heldBy(ours)).toEqual([]);
  });

  // `perpetua fleet check` reports the same for both users.
  it.skipIf(noUsers !== undefined).each([
    ['root and then an ordinary user', [undefined, 'perpetua-host-1']],
    ['an ordinary user and then root', ['perpetua-host-1', undefined]],
  ])(`are held by one at a time if %s work for one installation ${noUsers ?? ''}`, async (_, users) => {
    const { gpus, on, heldBy, ours, theirs } = await box({ users, second: 'ours' });
    const run = { ...on('exec sleep 4834', gpus[0]), ...LONG };
    await ours.launch(run);
    const next = on('echo next', gpus[0]);
    await expect(theirs.launch(next)).rejects.toMatchObject({ name: 'SlotTakenError' });
    expect(await heldBy(theirs)).toEqual([gpus[0]]);
    await ours.kill(run, run.fence);
    await expect.poll(() => heldBy(theirs)).toEqual([]);
    await theirs.launch(next);
    expect((await followToEnd(theirs, next)).text).toBe('next\n');
    await expect.poll(() => heldBy(ours)).toEqual([]);
    const again = on('echo again', gpus[0]);
    await ours.launch(again);
    expect((await followToEnd(ours, again)).text).toBe('again\n');
  });

  it('are never held by two, even if one comes between the check of a GPU and its lock', async () => {
    const { sshd, gpus, on, ours, theirs } = await box();
    const run = { ...on('sleep 4832', gpus[0]), ...LONG };
    await ours.launch(run);
    const lock = join('/tmp/.perpetua-gpus', String(process.getuid?.()), gpus[0]);
    // Another installation's launch that has seen the GPU free takes the lock, and checks again.
    const scripts = join(sshd.home, '.perpetua-host/bin');
    const [script = ''] = readdirSync(scripts).filter((name) => name.startsWith('host-'));
    const words = ['-s', join(lock, 'theirs'), 'sh', join(scripts, script), '', '', 'theirs', 'guard', '/', gpus[0]];
    const late = spawnSync('flock', words, { encoding: 'utf8' });
    expect(late.stdout).toMatch(/^fail \d+ gpu\n.* is held by another installation/m);
    // The run ends with the process that holds the lock.
    const holder = processesOf(lock, 'ours').map((line) => parseInt(line));
    expect(holder.length).toBeGreaterThan(0);
    signalAll(holder);
    await expect.poll(async () => (await ours.inspect(run)).state).toBe('lost');
    await ours.kill(run, run.fence);
    const next = on('echo next', gpus[0]);
    await theirs.launch(next);
    expect((await followToEnd(theirs, next)).text).toBe('next\n');
  });

  it('are free at once when a supervisor was killed, and are held by no process of the run', async () => {
    const { sshd, gpus, on, heldBy, ours, theirs } = await box();
    const run = { ...on(TELLS_OPEN, gpus[0]), ...LONG };
    await ours.launch(run);
    await killSupervisor(sshd, 'ours');
    await expect.poll(() => heldBy(theirs)).toEqual([]);
    const next = on('echo next', gpus[0]);
    await theirs.launch(next);
    expect((await followToEnd(theirs, next)).text).toBe('next\n');
    await ours.kill(run, run.fence);
  });
});
