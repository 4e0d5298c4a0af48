import { getEventListeners } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { SshCompute } from '../../../../infra/compute/ssh.ts';
import { noSshd } from '../../../support/machine/sshd.ts';
import { bytes, never } from '../conformance/support.ts';
import { testHosts } from './support/hosts.ts';
import { boxes } from './support/stepped.ts';

const hosts = testHosts();
const box = boxes(hosts);

/** A host, another worker's connection to it, and a setup that holds the lock of stage1 until the test lets it fail. */
async function held() {
  const { sshd, compute, scratch } = await box();
  const another = hosts.connect(sshd);
  const begun: string[] = [];
  const setUp = (worker: SshCompute, stage: string, { command = 'true', signal = never } = {}): Promise<void> =>
    worker.prepare(stage, [command], {
      onOutput: () => undefined,
      signal,
      onBegin: () => void begun.push(`${worker === compute ? 'one' : 'another'} of ${stage}`),
    });
  // HOME of a setup is the folder of its stage.
  const waits = 'until [ -e "$HOME/../../gate" ]; do sleep 0.05; done; exit 1';
  const first = setUp(compute, 'stage1', { command: waits });
  const over = first.catch((error: unknown) => error);
  await expect.poll(() => begun, { timeout: 30_000 }).toEqual(['one of stage1']);
  return { compute, another, begun, setUp, over, letGo: () => writeFileSync(join(scratch, 'gate'), '') };
}

describe.skipIf(noSshd !== undefined)(`a setup on a host ${noSshd ?? ''}`, () => {
  it('begins once it has the lock that the setup of another worker holds there', async () => {
    const { another, begun, setUp, over, letGo } = await held();
    const waiting = setUp(another, 'stage1');
    // Each answer shows that the host has had time to receive the request for the lock.
    for (let asked = 0; asked < 3; asked += 1) expect(await another.isPrepared('stage1')).toBe(false);
    expect(begun).toEqual(['one of stage1']);
    letGo();
    expect(await over).toMatchObject({ name: 'SetupFailedError' });
    await waiting;
    expect(begun).toEqual(['one of stage1', 'another of stage1']);
  });

  it('begins once the connection is done with the setup of another stage', async () => {
    const { compute, begun, setUp, over, letGo } = await held();
    await compute.stage('stage2', [{ path: 'main.txt', content: bytes('x') }]);
    const waiting = setUp(compute, 'stage2');
    for (let asked = 0; asked < 3; asked += 1) expect(await compute.isPrepared('stage2')).toBe(false);
    expect(begun).toEqual(['one of stage1']);
    letGo();
    await Promise.all([over, waiting]);
    expect(begun).toEqual(['one of stage1', 'one of stage2']);
  });

  it('that has waited for another setup of its stage leaves no listener on its signal', async () => {
    const { compute, begun, setUp, over, letGo } = await held();
    const { signal } = new AbortController();
    const waiting = setUp(compute, 'stage1', { signal });
    await expect.poll(() => getEventListeners(signal, 'abort')).toHaveLength(1);
    letGo();
    await Promise.all([over, waiting]);
    expect(begun).toEqual(['one of stage1', 'one of stage1']);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it.each([
    ['the lock of its stage', 'stage1'],
    ['a channel', 'stage2'],
  ])('that waits for %s ends with its signal, while the other goes on', async (_, stage) => {
    const { compute, another, begun, setUp, over, letGo } = await held();
    await compute.stage('stage2', [{ path: 'main.txt', content: bytes('x') }]);
    const controller = new AbortController();
    const waiting = setUp(stage === 'stage1' ? another : compute, stage, { signal: controller.signal });
    for (let asked = 0; asked < 3; asked += 1) expect(await another.isPrepared(stage)).toBe(false);
    controller.abort(new Error('no longer wanted'));
    await expect(waiting).rejects.toThrow('no longer wanted');
    expect(begun).toEqual(['one of stage1']);
    letGo();
    expect(await over).toMatchObject({ name: 'SetupFailedError' });
  });
});
