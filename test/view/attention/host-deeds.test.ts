import { expect, test } from 'vitest';
import type { AttentionHost } from '../../../view/attention/facts.ts';
import { needsYou } from '../../../view/attention/needs-you.ts';

const NOW = new Date('2026-11-20T12:00:00Z');
const HOUR_AGO = '2026-11-20T11:00:00.000Z';
const MINUTE_AGO = '2026-11-20T11:59:00.000Z';
const HOST: AttentionHost = {
  name: 'box',
  state: 'serving',
  quarantineSeconds: 30,
  seenSecondsAgo: 100,
  lastError: 'ssh: timed out',
  since: HOUR_AGO,
};

test('a host in quarantine needs a person from ten minutes on, a drained one does not', () => {
  const hosts = (host: Partial<AttentionHost>) => needsYou({ researches: [], hosts: [{ ...HOST, ...host }] }, NOW);
  expect(hosts({}).attention).toMatchObject([
    {
      key: 'host:box',
      researches: [],
      title: 'Host box is in quarantine',
      why: 'ssh: timed out; next probe in 30 s',
      at: HOUR_AGO,
      commands: ['npx perpetua fleet check box', 'npx perpetua fleet resume box'],
    },
  ]);
  expect(hosts({ since: MINUTE_AGO })).toMatchObject({
    attention: [],
    states: [{ title: 'Host box is in quarantine' }],
  });
  const calm = { attention: [], states: [] };
  expect(hosts({ quarantineSeconds: null })).toEqual(calm);
  expect(hosts({ state: 'draining' })).toEqual(calm);
  expect(hosts({ quarantineSeconds: null, seenSecondsAgo: null }).attention).toMatchObject([
    { key: 'host-unreached:box', title: 'Host box has not been reached yet' },
  ]);
});
