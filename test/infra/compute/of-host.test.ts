import { expect, test } from 'vitest';
import { Fleet } from '../../../domain/fleet/fleet.ts';
import { optionsOfHost } from '../../../infra/compute/of-host.ts';

const optionsOf = (host: object, caller: { sshAgent?: string; aliveSeconds?: number } = {}) => {
  const [spec] = Fleet.parse({
    pools: { cpu: { slots: 'cpu' } },
    hosts: [{ name: 'box', pool: 'cpu', ...host }],
  }).hosts;
  return spec && optionsOfHost(spec, { installation: 'i', sshAgent: null, ...caller });
};
const DEFAULTS = {
  ...{ host: 'box', installation: 'i', address: 'box', readable: [], keepDays: 14, cacheGb: 50, acceptNew: false },
};

test('a host of a name alone is reached by it, with what the guide calls the defaults', () => {
  expect(optionsOf({})).toEqual(DEFAULTS);
});

test('all that a fleet.yaml says of the way to a host and of its runs reaches the adapter', () => {
  const way = { port: 2200, user: 'lab', keyFile: '~/k', agent: '/agent', jump: 'gate', knownHosts: ['~/known'] };
  const runs = { scratch: '/data', path: '/opt/bin', readable: ['/data/sets'], keepDays: 3, cacheGb: 7 };
  expect(optionsOf({ address: '10.0.0.7', ...way, ...runs })).toEqual({
    ...DEFAULTS,
    ...{ address: '10.0.0.7', ...way, ...runs },
  });
});

test('a host key may be taken at first use, or known by its fingerprint', () => {
  expect(optionsOf({ hostKey: 'first-use' })).toEqual({ ...DEFAULTS, acceptNew: true });
  const fingerprint = `SHA256:${'x'.repeat(43)}`;
  expect(optionsOf({ hostKey: fingerprint })).toEqual({ ...DEFAULTS, fingerprint });
});

test("the user's own agent is told beside the one that the file names", () => {
  expect(optionsOf({ agent: 'none' }, { sshAgent: '/own' })).toEqual({ ...DEFAULTS, agent: 'none', ownAgent: '/own' });
});

test("how soon a connection is given up is the caller's to say", () => {
  expect(optionsOf({}, { aliveSeconds: 0.5 })).toEqual({ ...DEFAULTS, aliveSeconds: 0.5 });
});
