import { mkdirSync, mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLocalCompute } from '../../../../infra/compute/local.ts';
import { PROCESS_GROUP } from '../../../../infra/compute/run-protocol/confinement/confinement.ts';
import { mountSmallDisk, noSmallDisks, unmount } from '../../../support/machine/small-disk.ts';
import { followToEnd, LIMITS, specOf } from '../conformance/support.ts';
import { base, supervise } from '../supervisor/supervise.ts';

const PATH = '/usr/sbin:/usr/bin:/sbin:/bin';
const NAPS = 8;

/** Counts how often a supervisor measures the disk while it waits NAPS times, on a disk with that much free space. */
async function measurementsAt(freeMb: number): Promise<number> {
  const folder = mkdtempSync(join(base, 'counted-'));
  const log = join(folder, 'log');
  writeFileSync(log, '');
  const programs = {
    stat: `case $1 in -f) echo ${freeMb} 1048576 0 0 ;; *) exec stat "$@" ;; esac`,
    du: `echo du >>'${log}'; exec du "$@"`,
    sleep: `echo nap >>'${log}'; exec sleep "$@"`,
  };
  mkdirSync(join(folder, 'bin'));
  for (const [name, text] of Object.entries(programs))
    writeFileSync(join(folder, 'bin', name), `#!/bin/sh\nPATH=${PATH}\n${text}\n`, { mode: 0o755 });
  const within = ['env', `PATH=${join(folder, 'bin')}:${PATH}`];
  const setting = { shell: ['sh'], confinement: PROCESS_GROUP, uid: null, within };
  const { end } = await supervise(setting, `until [ "$(grep -c nap '${log}')" -ge ${NAPS} ]; do sleep .1; done`);
  expect(end).toMatchObject({ reason: 'exit', exitCode: 0 });
  return readFileSync(log, 'utf8')
    .split('\n')
    .filter((line) => line === 'du').length;
}

it('the disk is measured each time if it is nearly full, and every fourth time otherwise', async () => {
  expect(await measurementsAt(100_000)).toBeLessThanOrEqual(NAPS / 4 + 1);
  expect(await measurementsAt(500)).toBeGreaterThan(NAPS / 4 + 1);
});

describe.skipIf(noSmallDisks !== undefined)(`on a small disk ${noSmallDisks ?? ''}`, () => {
  const disk = mkdtempSync(join(tmpdir(), 'perpetua-floor-'));
  beforeAll(() => mountSmallDisk(disk, 96));
  afterAll(() => {
    unmount(disk);
    rmSync(disk, { recursive: true });
  });

  it('a run that reserves all space in files of the allowed size is ended, and the space is free again', async () => {
    const compute = createLocalCompute({ home: join(disk, 'home'), installation: 'floor' });
    await compute.stage('stage1', []);
    const free = (): number => statfsSync(disk).bavail;
    const before = free();
    // The kernel refuses a larger file.
    const burst =
      'fallocate -l 17M large || echo refused; ' +
      'i=0; while fallocate -l 16M f$i; do i=$((i + 1)); done 2>/dev/null; exec sleep 4824';
    const spec = { ...specOf(burst, { limits: { ...LIMITS, diskMb: 16 } }), files: [] };
    await compute.launch(spec);
    const { text, end } = await followToEnd(compute, spec);
    expect(text).toMatch(/^refused$/m);
    expect(end).toMatchObject({ reason: 'disk', treeGone: true });
    expect(free()).toBeGreaterThan(before * 0.9);
    await compute.remove(spec);
  });
});
