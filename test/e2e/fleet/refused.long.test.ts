import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectUninterrupted, release, slowTask, untilRunning, untilStopped } from '../../support/e2e/slow-task.ts';
import { type FleetBox, LAB, startFleetBox } from '../../support/machine/fleet-box.ts';
import { noSshd } from '../../support/machine/sshd.ts';
import type { TestWorker } from '../../support/stack.ts';

let box: FleetBox;
let worker: TestWorker;

/** Starts a research with two runs that are held on the host. */
async function begin(id: string): Promise<void> {
  const task = await slowTask(box.stack, id, { seconds: 0.4, held: true, pool: LAB });
  await box.stack.startResearch(id, { task, window: 2, budget: { trials: 1 } });
  await untilRunning(box.stack, id, 2);
}

const untilResting = (error: string): Promise<void> =>
  box.stack.until(
    `the host to rest for ${error}`,
    `select quarantined_until is not null and last_error like $1 as done, last_error from hosts`,
    [`%${error}%`],
  );
const untilServing = (): Promise<void> =>
  box.stack.until('the host to serve again', `select quarantined_until is null as done, last_error from hosts`);

describe.skipIf(noSshd !== undefined)(`a host with runs under way${noSshd ? ` (${noSshd})` : ''}`, () => {
  beforeAll(async () => {
    box = await startFleetBox();
    worker = await box.stack.startWorker({ slots: 1 });
  });
  afterAll(async () => {
    await worker.stop();
    await box.destroy();
  });

  test('that refuses our key rests until it takes it, and its runs are followed again', async () => {
    await begin('refused');
    const authorized = join(box.sshd.folder, 'authorized');
    const keys = readFileSync(authorized, 'utf8');
    writeFileSync(authorized, '');
    box.sshd.cut();
    await untilResting('refused every key');
    writeFileSync(authorized, keys);
    release(box.stack, 'refused');
    await untilStopped(box.stack, 'refused');
    await expectUninterrupted(box.stack, 'refused', 1);
    await untilServing();
  });

  test('that shows another key rests until a person vouches for it, and its runs are followed again', async () => {
    await begin('changed');
    await box.sshd.stop();
    await box.sshd.start({ newKey: true });
    await untilResting('host key');
    const key = readFileSync(join(box.sshd.folder, 'host.pub'), 'utf8');
    writeFileSync(box.sshd.knownHosts, `[${box.sshd.address}]:${box.sshd.port} ${key}`);
    release(box.stack, 'changed');
    await untilStopped(box.stack, 'changed');
    await expectUninterrupted(box.stack, 'changed', 1);
    await untilServing();
  });

  test('that is taken out of the fleet ends its runs, gets no others, and is gone then', async () => {
    await begin('removed');
    await box.apply({ poolOnly: true });
    release(box.stack, 'removed');
    await untilStopped(box.stack, 'removed');
    await expectUninterrupted(box.stack, 'removed', 1);
    expect(await box.stack.query(`select state from hosts`)).toEqual([{ state: 'removed' }]);
    expect(await box.stack.query(`select id from slots where host = 'box' and wanted`)).toEqual([]);
    // A host that is named again serves again.
    await box.apply();
    await box.stack.until(
      'the host to serve',
      `select count(*) = 2 as done from slots where host = 'box' and wanted and state in ('free', 'offered')`,
    );
  });
});
