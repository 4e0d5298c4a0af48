import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { applyFleet } from '../../../db/host/apply-fleet.ts';
import { installations } from '../../../db/schema.ts';
import { Fleet } from '../../../domain/fleet/fleet.ts';
import { runName } from '../../../infra/compute/run-protocol/paths.ts';
import { noSshd, startSshd, type Sshd } from '../../support/machine/sshd.ts';
import { NOWHERE, run } from '../support/cli.ts';
import { sharedServer, type Lineage, type Server } from '../support/database.ts';
import { insertStory } from '../support/lineage.ts';

/** Lays out a run as its supervisor does while it runs; this process stands for the supervisor. */
function beginRun(directory: string): void {
  const control = join(directory, '1', 'ctl');
  mkdirSync(join(control, 'claim'), { recursive: true });
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const start = stat.slice(stat.lastIndexOf(') ') + 2).split(' ')[19];
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  writeFileSync(join(control, 'claim', 'owner'), `${process.pid} ${start} ${boot} 1\n`);
  writeFileSync(join(control, 'started.json'), '{}\n');
}

describe.skipIf(noSshd !== undefined)(`perpetua fleet clean ${noSshd ?? ''}`, () => {
  const scratch = mkdtempSync(join(tmpdir(), 'perpetua-scratch-'));
  let server: Server;
  let lineage: Lineage;
  let box: Sshd;
  let runs: string;
  beforeAll(async () => {
    server = sharedServer();
    lineage = await server.open();
    await insertStory(lineage.db, 'toy');
    box = await startSshd();
    const { port, user, key, knownHosts } = box;
    const at = { pool: 'cpu', address: '127.0.0.1', user, keyFile: key, knownHosts: [knownHosts], scratch };
    const hosts = [
      { ...at, name: 'box', port },
      { ...at, name: 'gone', port: 1 },
    ];
    await applyFleet(lineage.db, Fleet.parse({ pools: { cpu: { slots: 'cpu' } }, hosts }));
    runs = join(scratch, 'runs', (await lineage.db.select().from(installations))[0]?.id ?? '');
  });
  afterAll(async () => {
    await box.destroy();
    await lineage.close();
    rmSync(scratch, { recursive: true, force: true });
  });

  const directory = (n: number): string => join(runs, runName({ jobId: `toy/${n}`, placement: 0 }));
  const clean = (...argv: string[]) =>
    run(['fleet', 'clean', ...argv, '--keep', '0'], { env: { DATABASE_URL: lineage.url, TEMPORAL_ADDRESS: NOWHERE } });

  test('removes old runs that no trial needs, after saying so on a dry run', async () => {
    const old = new Date(Date.now() - 7_200_000);
    // In the story, trial 4 was kept and trial 6 is running.
    for (const n of [1, 2, 4, 6]) {
      mkdirSync(directory(n), { recursive: true });
      if (n !== 2) utimesSync(directory(n), old, old);
    }
    const there = (): number[] => [1, 2, 4, 6].filter((n) => existsSync(directory(n)));
    const dry = await clean('box', '--dry-run', '--json');
    expect(dry.code).toBe(0);
    const removed = [runName({ jobId: 'toy/1', placement: 0 })];
    const nothing = { killed: [], failed: [], workspaces: [], damaged: [], error: null };
    const spared = { underWay: 0, needed: 2, young: 1, ofOthers: 0 };
    expect(dry.json()).toEqual([{ host: 'box', dryRun: true, removed, ...nothing, spared }]);
    expect(there()).toEqual([1, 2, 4, 6]);
    expect((await clean('box')).stdout).toBe('box: removed 1 run directory\n');
    expect(there()).toEqual([2, 4, 6]);
  });

  test('reports on a dry run what it would keep, and why', async () => {
    beginRun(directory(6));
    mkdirSync(join(scratch, 'runs', 'others', 'theirs.0'), { recursive: true });
    expect((await clean('box', '--dry-run', '--older-than', '0.5')).stdout).toBe(
      'box: would remove 0 run directories\n' +
        'box: would keep run directories: ' +
        '1 under way, 1 that trials need, 1 younger than 0.5 h, 1 of other installations\n',
    );
  });

  test('ends with 1 if a host cannot be reached, with the reason, and cleans the others', async () => {
    const { code, stdout, stderr } = await clean();
    expect(code).toBe(1);
    expect(stdout).toContain('box: removed 0 run directories');
    expect(stdout).toMatch(/^gone: .*127\.0\.0\.1/m);
    expect(stderr).toContain('Not everything could be removed on gone.');
  });

  test('refuses a host that is not in the fleet', async () => {
    expect(await clean('bxo')).toMatchObject({ code: 2, stderr: expect.stringContaining('(box, gone), got bxo') });
  });
});
