import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it, test } from 'vitest';
import { Fleet } from '../../../domain/fleet/fleet.ts';
import { optionsOfHost } from '../../../infra/compute/compute-of-host.ts';
import { HOST_FAULTS, hostFaultOf } from '../../../domain/fault/host-fault.ts';
import * as errors from '../../../infra/compute/errors.ts';
import { createLocalCompute } from '../../../infra/compute/local.ts';
import { bytes, followToEnd, specOf } from './conformance/support.ts';

describe('a host of the fleet', () => {
  const optionsOf = (host: object, caller: { sshAgent?: string; aliveSeconds?: number } = {}) => {
    const [spec] = Fleet.parse({
      pools: { cpu: { slots: 'cpu' } },
      hosts: [{ name: 'box', pool: 'cpu', ...host }],
    }).hosts;
    return spec && optionsOfHost(spec, { installation: 'i', sshAgent: null, ...caller });
  };
  const DEFAULTS = {
    host: 'box',
    installation: 'i',
    address: 'box',
    readable: [],
    keepDays: 14,
    cacheGb: 50,
    acceptNew: false,
  };

  test('a host with no key but its name is reached by that name, with the defaults of the guide', () => {
    expect(optionsOf({})).toEqual(DEFAULTS);
  });

  test('the adapter gets every key of fleet.yaml about the connection to a host and about its runs', () => {
    const way = { port: 2200, user: 'lab', keyFile: '~/k', agent: '/agent', jump: 'gate', knownHosts: ['~/known'] };
    const runs = { scratch: '/data', path: '/opt/bin', readable: ['/data/sets'], keepDays: 3, cacheGb: 7 };
    expect(optionsOf({ address: '10.0.0.7', ...way, ...runs })).toEqual({
      ...DEFAULTS,
      address: '10.0.0.7',
      ...way,
      ...runs,
    });
  });

  test('a host key may be taken at first use, or known by its fingerprint', () => {
    expect(optionsOf({ hostKey: 'first-use' })).toEqual({ ...DEFAULTS, acceptNew: true });
    const fingerprint = `SHA256:${'x'.repeat(43)}`;
    expect(optionsOf({ hostKey: fingerprint })).toEqual({ ...DEFAULTS, fingerprint });
  });

  test("the adapter gets the user's own agent beside the one that the file names", () => {
    expect(optionsOf({ agent: 'none' }, { sshAgent: '/own' })).toEqual({
      ...DEFAULTS,
      agent: 'none',
      ownAgent: '/own',
    });
  });

  test('the caller sets how soon a silent connection is abandoned', () => {
    expect(optionsOf({}, { aliveSeconds: 0.5 })).toEqual({ ...DEFAULTS, aliveSeconds: 0.5 });
  });
});

describe('errors', () => {
  const RUN = { jobId: 'a/1', placement: 0 };

  test('each error of a host carries a code of its own, which survives serialisation', () => {
    const thrown = [
      new errors.HostUnreachableError('box', 'closed', { message: 'lost' }),
      new errors.HostKeyError('box', 'another key'),
      new errors.HostAuthError('box', 'no key'),
      new errors.HostConfigError('box', 'no alias'),
      new errors.HostUnusableError('box', 'no disk'),
      new errors.RunGoneError('box', { run: RUN, state: 'absent' }),
      new errors.HostGoneError('box', 'not in the fleet'),
      new errors.SlotTakenError('GPU-0'),
      new errors.StageMissingError('s', 'box'),
      new errors.ConversationReplacedError('box', RUN),
      new errors.SandboxUnavailableError('none'),
      new errors.CannotShowError('box', {
        folder: '/root/.ssh',
        real: '/root/.ssh',
        why: 'it holds keys',
        ofPath: false,
      }),
      new errors.SetupFailedError('failed', 'why'),
    ];
    expect(thrown.map((error) => hostFaultOf(error)?.code)).toEqual([...HOST_FAULTS]);
  });
});

describe('protections', () => {
  const home = mkdtempSync(join(tmpdir(), 'perpetua-protections-'));
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  it.each(['none', 'preferred', 'required'] as const)(
    'say of sandbox: %s that a run is root if it is root',
    async (sandbox) => {
      const compute = createLocalCompute({ home, installation: 'protections-tests' });
      await compute.stage('stage1', [{ path: 'main.txt', content: bytes('x') }]);
      const spec = specOf('id -u', { sandbox });
      await compute.launch(spec);
      // In a user namespace, an ordinary user looks like root but is not.
      const isRoot = (await followToEnd(compute, spec)).text === '0\n' && process.getuid?.() === 0;
      const notes = (await compute.protections(sandbox)).notes.join(' ');
      expect(notes.includes('is root here')).toBe(isRoot);
      // A worker that is root gives its own user only to runs without a sandbox.
      expect(isRoot).toBe(process.getuid?.() === 0 && sandbox === 'none');
    },
  );
});
