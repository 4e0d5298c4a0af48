import { expect, test } from 'vitest';
import { fleetJson, renderFleetStatus } from '../../../cli/render/fleet-status.ts';
import type { FleetHostStatus } from '../../../db/reads/fleet/read-fleet.ts';

const host = (name: string, more: Partial<FleetHostStatus> = {}): FleetHostStatus => ({
  name,
  pool: 'gpu',
  state: 'serving',
  slots: 2,
  labels: [],
  running: [],
  seenSecondsAgo: 12,
  failures: 0,
  quarantineSeconds: null,
  note: null,
  lastError: null,
  lastErrorSecondsAgo: null,
  ...more,
});

test('each trial on a host is listed with its GPU and its time, under a table of all hosts', () => {
  const running = [
    { trial: 'nano-lm/12', gpu: 'GPU-aa', seconds: 95 },
    { trial: 'toy/3', gpu: null, seconds: 3.2 },
  ];
  expect(renderFleetStatus([host('a', { running }), host('b')])).toEqual([
    'host  pool  state    slots  running  seen',
    'a     gpu   serving  2      2        12 s ago',
    'b     gpu   serving  2      0        12 s ago',
    '',
    '  a: nano-lm/12 on GPU-aa, for 1 min 35 s',
    '  a: toy/3, for 3.2 s',
    '2 of 2 hosts can take trials, on 4 slots',
  ]);
});

test('labels are a column if a host has some', () => {
  const [head, first, second] = renderFleetStatus([host('a', { labels: ['rack 3', 'loud\x1b[2J'] }), host('b')]);
  expect(head).toMatch(/ seen +labels$/);
  expect(first).toMatch(/ 12 s ago +rack 3, loud$/);
  expect(second).toMatch(/ 12 s ago$/);
});

test('a host in quarantine has its reason and the time of its next try; notes for a person come first', () => {
  const ill = host('a', {
    note: 'GPU 3 is in\nuse',
    lastError: 'host a: no answer',
    lastErrorSecondsAgo: 4,
    quarantineSeconds: 40,
  });
  expect(renderFleetStatus([ill]).slice(1)).toEqual([
    expect.stringMatching(/^a +gpu +quarantine /),
    '',
    '! a: GPU 3 is in use',
    '! a: no answer (next probe in 40 s; to probe it now: npx perpetua fleet resume a)',
    '0 of 1 host can take trials, on 0 slots',
  ]);
});

test('the next step for a host that fails depends on its state', () => {
  const ill = { lastError: 'host a: no answer', lastErrorSecondsAgo: 4, quarantineSeconds: 0 };
  const lines = renderFleetStatus([host('a', { ...ill, state: 'removed' }), host('b', { ...ill, state: 'draining' })]);
  expect(lines.slice(4)).toEqual([
    '! a: no answer (next probe now; probes go on for a day, to end runs that the host may still have)',
    '! b: host a: no answer (next probe now)',
    '0 of 1 host can take trials, on 0 slots',
  ]);
});

test('an error of the last day is shown though the host is well again, an older one in JSON only', () => {
  const failed = { lastError: 'host a: it hung up', lastErrorSecondsAgo: 7200 };
  const old = host('b', { ...failed, lastErrorSecondsAgo: 90_000 });
  const lines = renderFleetStatus([host('a', failed), old]);
  expect(lines.slice(3)).toEqual([
    '',
    '  a: over now; last error, 2 h ago: it hung up',
    '2 of 2 hosts can take trials, on 4 slots',
  ]);
  expect(fleetJson([old]).hosts).toMatchObject([{ condition: 'serving', lastError: 'host a: it hung up' }]);
});
