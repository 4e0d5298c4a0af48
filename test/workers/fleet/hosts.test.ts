import { expect, test } from 'vitest';
import type { KnownHost } from '../../../db/queries/fleet.ts';
import type { Store } from '../../../db/store.ts';
import type { SshCompute } from '../../../infra/compute/ssh.ts';
import { createFleetHosts } from '../../../workers/fleet/hosts.ts';

/** A fleet of one host, whose address a test changes; each connection counts how often it was closed. */
function fleetOfOne() {
  const made: { idle: number; closed: number }[] = [];
  let address = 'a';
  const hosts = createFleetHosts({
    store: {
      findHosts: () => Promise.resolve([{ name: 'one', spec: { address } } as unknown as KnownHost]),
    } as unknown as Store,
    hidden: [],
    create: () => {
      const at = { idle: 0, closed: 0 };
      made.push(at);
      return { idleSeconds: () => at.idle, close: () => (at.closed += 1) } as unknown as SshCompute;
    },
  });
  const change = async (to: string): Promise<void> => {
    address = to;
    await hosts.refresh();
  };
  const closed = (): number[] => made.map((one) => one.closed);
  return { hosts, made, change, closed };
}

test('the connection of a host that was changed is closed once nobody has used it for long, and only once', async () => {
  const { hosts, made, change, closed } = fleetOfOne();
  await change('a');
  await change('b');
  await hosts.refresh();
  expect(closed()).toEqual([0, 0]);
  // Idle for as long, the one that is in use now stays.
  for (const one of made) one.idle = 3600;
  await hosts.refresh();
  expect(closed()).toEqual([1, 0]);
  await hosts.refresh();
  hosts.close();
  expect(closed()).toEqual([1, 1]);
});

test('the end of the fleet closes the connections of changed hosts, too', async () => {
  const { hosts, change, closed } = fleetOfOne();
  await change('a');
  await change('b');
  hosts.close();
  expect(closed()).toEqual([1, 1]);
});
