import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { checkHost } from '../../../../cli/fleet/check-host.ts';
import { Fleet } from '../../../../domain/fleet/fleet.ts';
import { makeIsolatedMachine, noIsolatedMachines } from '../../../support/machine/isolated-machine.ts';
import { noSshd, type Sshd } from '../../../support/machine/sshd.ts';
import { bytes, followToEnd, LIMITS, specOf } from '../conformance/support.ts';
import { testHosts } from './support/hosts.ts';

const { start, connect } = testHosts();
const folder = mkdtempSync(join(tmpdir(), 'perpetua-clock-'));
afterAll(() => rmSync(folder, { recursive: true }));

const HOUR = 3600;
/**
 * A host whose clock is off by more hours than runs are kept. By the worker's clock, all of its runs would count as
 * expired, or none.
 */
const boxAt = (hours: number): Promise<Sshd> =>
  start({ network: makeIsolatedMachine(join(folder, String(hours)), { clockAhead: hours * HOUR }).network });

describe.skipIf(noSshd !== undefined || noIsolatedMachines !== undefined)(
  `a host whose clock is days off ${noSshd ?? noIsolatedMachines ?? ''}`,
  () => {
    it.each([
      [60, 'ahead of'],
      [-60, 'behind'],
    ])('(%i hours) is reported by fleet check, and can be used', async (hours, words) => {
      const { address, port, user, key, knownHosts } = await boxAt(hours);
      const host = { name: 'box', pool: 'cpu', address, port, user, keyFile: key, knownHosts: [knownHosts] };
      const fleet = Fleet.parse({ pools: { cpu: { slots: 'cpu' } }, hosts: [host] });
      const [[spec], pool] = [fleet.hosts, fleet.pools.cpu];
      if (!spec || !pool) throw new Error('Expected a host and its pool');
      const check = await checkHost(spec, pool, { installation: 'clock-tests', sshAgent: null });
      expect(check).toMatchObject({ ok: true });
      expect(Math.round((check.machine?.clockAhead ?? 0) / HOUR)).toBe(hours);
      const clock = check.problems.map((problem) => /its clock is (\d+) s (.*) ours/.exec(problem)).find(Boolean);
      expect([Math.round(Number(clock?.[1]) / HOUR), clock?.[2]]).toEqual([60, words]);
    });

    it.each([60, -60])(
      '(%i hours) keeps what is young, removes what is old, and ends runs at their limit',
      async (hours) => {
        const sshd = await boxAt(hours);
        const compute = connect(sshd, { keepDays: 1 });
        await compute.stage('stage1', [{ path: 'main.txt', content: bytes('x') }]);
        const runs = join(sshd.home, '.perpetua-host/runs/ssh-tests');
        const made = (name: string, hoursAgo: number): string => {
          mkdirSync(join(runs, name), { recursive: true });
          const then = Date.now() / 1000 - hoursAgo * HOUR;
          utimesSync(join(runs, name), then, then);
          return join(runs, name);
        };
        const [young, old] = [made('young.0', 20), made('old.0', 28)];
        const runFor = async (wallSeconds: number) => {
          const spec = specOf('echo begun; sleep 4843', { limits: { ...LIMITS, wallSeconds } });
          await compute.launch(spec);
          return followToEnd(compute, spec);
        };
        // A run whose sandbox takes longer to build than the wall limit is lost.
        const soon = await runFor(2);
        const { text, end } = soon.text === 'begun\n' ? soon : await runFor(20);
        expect(text).toBe('begun\n');
        expect(end).toMatchObject({ reason: 'wall', treeGone: true });
        expect(end.wallSeconds).toBeLessThan(HOUR);
        expect(Math.round((Date.parse(end.startedAt) - Date.now()) / 1000 / HOUR)).toBe(hours);
        await expect.poll(() => existsSync(old)).toBe(false);
        expect(existsSync(young)).toBe(true);
      },
    );
  },
);
