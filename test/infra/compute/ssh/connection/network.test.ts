import { afterAll, describe, expect, it } from 'vitest';
import { makeNetwork, noNetworks, type TestNetwork } from '../../../../support/machine/network.ts';
import { noSshd } from '../../../../support/machine/sshd.ts';
import { bytes, specOf, eventsOf } from '../../conformance/support.ts';
import { testHosts } from '../support/hosts.ts';

const { start, connect } = testHosts();
const networks: TestNetwork[] = [];
afterAll(() => networks.forEach((network) => network.destroy()));

/** A host in a network of its own, with a stage on it. */
async function farBox(more: Parameters<typeof connect>[1]) {
  const network = makeNetwork();
  networks.push(network);
  const sshd = await start({ network });
  const compute = connect(sshd, more);
  await compute.stage('stage1', [{ path: 'main.txt', content: bytes('x') }]);
  return { network, compute };
}

const missing = noSshd ?? noNetworks;

describe.skipIf(missing !== undefined)(`a host in another network ${missing ?? ''}`, () => {
  it('is followed without a lost or doubled byte though its network falls silent in mid-run', async () => {
    const { network, compute } = await farBox({ aliveSeconds: 0.5 });
    const spec = specOf('for i in $(seq 1 40); do echo "line $i"; sleep 0.2; done', { sandbox: 'none' });
    await compute.launch(spec);
    let text = '';
    let pulled = false;
    for await (const event of eventsOf(compute, spec)) {
      if (event.type !== 'output') {
        expect(event).toMatchObject({ type: 'ended', end: { reason: 'exit', exitCode: 0 } });
        break;
      }
      expect(event.offset).toBe(text.length);
      text += Buffer.from(event.chunk).toString();
      if (pulled) continue;
      // Longer than a silent connection is kept: the half-open connection is abandoned.
      network.pull();
      pulled = true;
      setTimeout(() => network.plugIn(), 4000);
    }
    expect(pulled).toBe(true);
    expect(text).toBe(Array.from({ length: 40 }, (_, index) => `line ${index + 1}\n`).join(''));
  });

  it('counts as unreachable while its network is silent, and launches runs once the network is back', async () => {
    const { network, compute } = await farBox({ aliveSeconds: 2, patienceSeconds: 0 });
    const spec = specOf('echo once', { sandbox: 'none' });
    network.pull();
    await expect(compute.launch(spec)).rejects.toMatchObject({
      name: expect.stringMatching(/Unreachable|Lost/) as string,
    });
    network.plugIn();
    // The kernel needs a moment to resolve the address again.
    const launched = (): Promise<string> =>
      compute.launch(spec).then(
        () => 'launched',
        (error: Error) => error.name,
      );
    await expect.poll(launched).toBe('launched');
    let text = '';
    for await (const event of eventsOf(compute, spec)) {
      if (event.type !== 'output') break;
      text += Buffer.from(event.chunk).toString();
    }
    expect(text).toBe('once\n');
  });
});
