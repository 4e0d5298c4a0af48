import { expect, test } from 'vitest';
import type { HostCheck } from '../../../cli/fleet/check-host.ts';
import { mixedNotes } from '../../../cli/fleet/mixed.ts';

function checked(host: string, pool: string, ...models: string[]): HostCheck {
  const gpus = models.map((name, index) => ({ index, uuid: `GPU-${host}-${index}`, name, memoryMb: 81_920 }));
  return { host, pool, machine: { gpus }, problems: [] } as unknown as HostCheck;
}

test('a pool of one model of GPU is no problem, one with another model is, on whichever host', () => {
  const note = mixedNotes();
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
