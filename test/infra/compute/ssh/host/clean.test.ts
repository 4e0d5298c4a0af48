import { existsSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { noSshd } from '../../../../support/machine/sshd.ts';
import { host, named, SHELLS } from '../support/host-call.ts';
import { testHosts } from '../support/hosts.ts';

const DAY = 86_400;

/** A scratch folder of a host, and ways to fill it; ages are in days. */
function scratch(shell: string) {
  const { base, callWith } = host(shell);
  const age = (path: string, days: number): void => {
    const then = Date.now() / 1000 - days * DAY;
    utimesSync(path, then, then);
  };
  return {
    /** Sweeps runs older than a day and not named, then trims to so many kB; returns the lines without sizes. */
    clean: (dry: 0 | 1, kilobytes: number, names = named()) =>
      callWith(names, 'clean', DAY, dry, 14 * DAY, kilobytes).map((line) => line.replace(/ \d{3,}$/, '')),
    run: (name: string, stage: string, { installation = 'inst', days = 0, id = '' } = {}) => {
      const folder = join(base, 'runs', installation, name);
      mkdirSync(join(folder, '1'), { recursive: true });
      writeFileSync(join(folder, '1/stage'), `${stage}\n`);
      if (id !== '') writeFileSync(join(folder, '1/stage-id'), `${id}\n`);
      age(folder, days);
    },
    stage: (name: string, days: number) => {
      const folder = join(base, 'stages', name);
      mkdirSync(folder);
      writeFileSync(join(folder, 'data'), Buffer.alloc(400 * 1024, 1));
      age(folder, days);
    },
    copying: (run: string, stage: string) => {
      const folder = join(base, 'runs/inst', run, '.tmp-7-7');
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'stage'), `${stage}\n`);
    },
    runs: () => readdirSync(join(base, 'runs/inst')).sort(),
    stages: () => readdirSync(join(base, 'stages')).sort(),
  };
}

describe.each(SHELLS)('cleaning a host by hand (%s)', (shell) => {
  it('removes workspaces above the size to keep, least recently used first, but none that runs need', () => {
    const on = scratch(shell);
    for (const [name, days] of [
      ['a-old', 4],
      ['b-newer', 2],
      ['c-needed', 5],
      ['d-copied', 6],
    ] as const)
      on.stage(name, days);
    on.run('run.0', 'c-needed', { installation: 'others', days: 9 });
    on.copying('next.0', 'd-copied');
    expect(on.clean(1, 1e9)).toEqual(['done']);
    expect(on.clean(1, 1300)).toEqual(['trimmed a-old', 'done']);
    expect(on.stages()).toHaveLength(4);
    expect(on.clean(0, 1300)).toEqual(['trimmed a-old', 'done']);
    expect(on.clean(0, 1)).toEqual(['trimmed b-newer', 'done']);
    expect(on.stages()).toEqual(['c-needed', 'd-copied']);
  });

  it('reports the same on a dry run, also damaged workspaces and those that only removed runs needed', () => {
    const [swept, needed] = ['a'.repeat(32), 'b'.repeat(32)];
    for (const kilobytes of [1e9, 2900, 2700, 2300, 1900, 1]) {
      const on = scratch(shell);
      on.stage('of-swept', 5);
      on.stage('of-needed', 6);
      on.stage('newest', 1);
      on.stage(`.damaged-${swept}-x`, 2);
      on.stage('.damaged-8-x', 0.5);
      on.stage(`.damaged-${needed}-x`, 2);
      on.stage('.damaged-9-fresh', 0.02);
      on.stage('.tmp-8-8', 2);
      on.run('old.0', 'of-swept', { days: 3, id: swept });
      on.run('old-and-needed.0', 'of-needed', { days: 3, id: needed });
      // A run of an older version, which recorded no id.
      on.run('older.0', 'of-older', { days: 3 });
      on.stage('.damaged-7-of-older', 2);
      // A run of another installation with the name of a swept run.
      on.run('old.0', 'of-theirs', { installation: 'others', days: 3 });
      on.stage('of-theirs', 7);
      const names = named('old-and-needed.0');
      const [before, dry] = [on.stages(), on.clean(1, kilobytes, names)];
      expect(on.stages()).toEqual(before);
      expect(on.runs()).toEqual(['old-and-needed.0', 'old.0', 'older.0']);
      expect(on.clean(0, kilobytes, names)).toEqual(dry);
      const gone = before.filter((name) => !on.stages().includes(name));
      expect(dry.slice(0, 2)).toEqual(['swept 0 old.0', 'swept 0 older.0']);
      const reported = dry.slice(2, -1).map((line) => line.split(' ')[1]);
      expect(reported.sort()).toEqual(gone);
      expect(gone).toEqual(expect.arrayContaining([`.damaged-${swept}-x`, '.damaged-7-of-older', '.tmp-8-8']));
      // Seven workspaces of about 405 kB each remain at that point; damaged ones are removed first.
      expect(gone.includes('.damaged-8-x')).toBe(kilobytes <= 2700);
      expect(gone.includes('of-swept')).toBe(kilobytes <= 2300);
      expect(gone.includes('newest')).toBe(kilobytes <= 1900);
      expect(on.stages()).toEqual(expect.arrayContaining([`.damaged-${needed}-x`, 'of-needed', 'of-theirs']));
    }
  });

  it('removes nothing if the list of names was cut', () => {
    const on = scratch(shell);
    on.run('old.0', 's', { days: 3 });
    for (const cut of ['', 'other.0\n', 'other.0\nwhol', 'whole\nother.0\n'])
      expect(on.clean(0, 1, cut)).toEqual([
        'fail host expected a complete list of run directories to keep, got a truncated one; ' +
          'nothing was removed: run it again',
      ]);
    expect(on.runs()).toEqual(['old.0']);
  });
});

it('keeps the workspaces that runs need, however many the runs: more than a program takes arguments', () => {
  const on = scratch('sh');
  on.stage('needed', 5);
  for (let n = 0; n < 9000; n += 1) on.run(`${'x'.repeat(240)}${n}.0`, 'needed', { installation: 'others' });
  expect(on.clean(0, 1)).toEqual(['done']);
  expect(on.stages()).toEqual(['needed']);
}, 60_000);

const { start, connect } = testHosts();
describe.skipIf(noSshd !== undefined)(`a host ${noSshd ?? ''}`, () => {
  it('takes more names of needed runs than one command line does', async () => {
    const sshd = await start();
    const compute = connect(sshd);
    const keep = Array.from({ length: 20_000 }, (_, n) => ({ jobId: `many/${n}`, placement: 0 }));
    await compute.hasAnyRun([]);
    const old = join(sshd.home, '.perpetua-host/runs/ssh-tests/old.0');
    mkdirSync(old, { recursive: true });
    const options = { keep, olderThanSeconds: 0 };
    expect(await compute.countSpared(options)).toMatchObject({ needed: 0, young: 0 });
    expect(await compute.clean({ ...options, dryRun: true })).toMatchObject({ removed: ['old.0'] });
    expect(await compute.clean({ ...options, dryRun: false })).toMatchObject({ removed: ['old.0'] });
    expect(existsSync(old)).toBe(false);
  });
});

it.each(SHELLS)('a host counts the run directories that a sweep leaves alone (%s)', (shell) => {
  const { base, call, callWith } = host(shell);
  const make = (name: string, { installation = 'inst', hours = 0 } = {}): void => {
    const run = join(base, 'runs', installation, name);
    mkdirSync(join(run, '1', 'ctl'), { recursive: true });
    utimesSync(run, Date.now() / 1000 - hours * 3600, Date.now() / 1000 - hours * 3600);
  };
  expect(call('spared', 3600)).toEqual(['spared 0 0 0 0', 'done']);
  make('old.0', { hours: 2 });
  make('old-and-needed.0', { hours: 2 });
  make('young.0');
  make('young-too.0');
  make('theirs.0', { installation: 'others', hours: 2 });
  expect(callWith(named('old-and-needed.0', 'not-there.0'), 'spared', 3600)).toEqual(['spared 0 1 2 1', 'done']);
});
