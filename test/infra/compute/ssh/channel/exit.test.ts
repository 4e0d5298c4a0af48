import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { noSshd } from '../../../../support/machine/sshd.ts';
import { bytes, followToEnd, LIMITS, specOf } from '../../conformance/support.ts';
import { startBatchingRelay } from '../support/batching-relay.ts';
import { testHosts } from '../support/hosts.ts';

const { start, connect } = testHosts();
const relays: { close(): void }[] = [];
afterAll(() => relays.forEach((relay) => relay.close()));

/** A host whose answers arrive together with the end of their channel, as they do for a process that was busy. */
async function box() {
  const sshd = await start();
  const relay = await startBatchingRelay(sshd.port);
  relays.push(relay);
  const compute = connect(sshd, { port: relay.port, fingerprint: sshd.fingerprint });
  await compute.stage('stage1', [{ path: 'main.txt', content: bytes('x') }]);
  return { compute, scratch: join(sshd.home, '.perpetua-host') };
}

describe.skipIf(noSshd !== undefined)(`a program that ends as soon as its channel is there ${noSshd ?? ''}`, () => {
  it('does not count as a lost connection if the script is gone', async () => {
    const { compute, scratch } = await box();
    rmSync(scratch, { recursive: true });
    await expect(compute.inspect({ jobId: 'gone/1', placement: 0 })).resolves.toEqual({ state: 'absent' });
  });

  it('does not count as a lost connection in a conversation', async () => {
    const { compute } = await box();
    const spec = specOf('true', { jobId: 'answers/1', sandbox: 'none', stageHash: 'stage1' });
    await compute.launch(spec);
    await followToEnd(compute, spec);
    const talk = await compute.converse({ ...spec, limits: LIMITS, command: 'exit 3' });
    await expect(talk.ended).resolves.toMatchObject({ reason: 'exit', exitCode: 3 });
  });
});
