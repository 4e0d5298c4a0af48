import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startSupervisor, writeControl } from '../../../../../infra/compute/local/supervise.ts';
import { PROCESS_GROUP } from '../../../../../infra/compute/run-protocol/confinement/confinement.ts';
import { attemptOf } from '../../../../../infra/compute/run-protocol/paths.ts';
import { isRunning } from '../../../../support/process/is-running.ts';
import { noSmallDisks, useUpFiles } from '../../../../support/machine/small-disk.ts';
import { LIMITS } from '../../conformance/support.ts';
import { host, SHELLS } from '../support/host-call.ts';

const FILES = 300;

/** Lays out a run that has not started, on a host whose disk has room for few files. */
async function stagedRun(shell: string, command: string) {
  const on = host(shell, { files: FILES });
  const supervisor = join(on.base, 'bin', 'supervisor-x.sh');
  const attempt = attemptOf(join(on.runs, 'run.0'), 1);
  const root = join(attempt.directory, 'root');
  for (const folder of [attempt.work, attempt.tmp, root]) mkdirSync(folder, { recursive: true });
  const stage = join(on.base, 'stages', 'stage');
  for (const folder of ['files', 'data']) mkdirSync(join(stage, folder), { recursive: true });
  writeFileSync(join(stage, 'files', 'gone.txt'), 'x');
  const hash = createHash('sha256').update('x').digest('hex');
  const lists = { stage: 'stage\n', mutable: '', manifest: `${hash} 1 gone.txt\n` };
  for (const [name, text] of Object.entries(lists)) writeFileSync(join(attempt.directory, name), text);
  await writeControl(attempt.ctl, {
    control: attempt.ctl,
    work: attempt.work,
    tmp: attempt.tmp,
    root,
    fence: 1,
    talk: false,
    command,
    env: { PATH: '/usr/bin:/bin', HOME: attempt.work },
    limits: LIMITS,
    confinement: PROCESS_GROUP,
    uid: null,
    show: [],
    hide: [],
    supervisor,
  });
  const output = (): string => readFileSync(join(attempt.ctl, 'output'), 'utf8');
  const start = async () => {
    const { process: child, exited } = await startSupervisor(supervisor, attempt.ctl, { talk: false });
    await expect
      .poll(() => existsSync(join(attempt.ctl, 'output')) && output(), { timeout: 30_000 })
      .toMatch(/^\d+\n$/);
    return { child, exited, process: Number(output()) };
  };
  return { on, attempt, start, useUp: () => useUpFiles(join(attempt.work, 'many')) };
}

describe.skipIf(noSmallDisks !== undefined).each(SHELLS)(
  `a run that has used up the files of its host, under %s ${noSmallDisks ?? ''}`,
  (shell) => {
    it('is ended, collected and removed', async () => {
      const { on, attempt, start, useUp } = await stagedRun(shell, 'echo $$; exec sleep 4823');
      const { process } = await start();
      useUp();
      expect(on.call('machine').filter((line) => /^files /.test(line))).toEqual(['files 0']);
      expect(on.call('kill', 'run.0', 1).at(-1)).toBe('done');
      expect(isRunning(process)).toBe(false);
      const lines = on.call('collect', 'run.0', '0');
      expect(lines[0]).toMatch(/^end .*"reason":"killed"/);
      expect(lines.slice(-2)).toEqual(['changed gone.txt', 'done']);
      expect(on.call('remove', 'run.0')).toEqual(['done']);
      expect(existsSync(attempt.directory)).toBe(false);
    });

    it('and was lost has its surviving processes ended, and their end recorded', async () => {
      const { on, attempt, start, useUp } = await stagedRun(
        shell,
        `setsid /bin/sh -c 'echo $$; exec sleep 4823' & wait`,
      );
      const { child, exited, process } = await start();
      child.kill('SIGKILL');
      await exited;
      useUp();
      expect(on.call('kill', 'run.0', 1)).toEqual(['done']);
      expect(isRunning(process)).toBe(false);
      expect(existsSync(join(attempt.ctl, 'gone'))).toBe(true);
    });

    it('does not prevent the end of another run that is not claimed', async () => {
      const { on, useUp } = await stagedRun(shell, 'echo began');
      useUp();
      expect(on.call('kill', 'run.0', 1)).toEqual(['done']);
      expect(on.call('inspect', 'run.0')[0]).toBe('state ended 1');
    });
  },
);
