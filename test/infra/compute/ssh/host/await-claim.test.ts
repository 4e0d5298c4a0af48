import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { loadScripts } from '../../../../../infra/compute/ssh/scripts.ts';
import { SHELLS } from '../support/host-call.ts';

const { host } = await loadScripts();
const BOOT = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
const birthOf = (pid: number): string => {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(') ') + 2).split(' ')[19] ?? '';
};
/** The functions of the host script, and a supervisor that exits at once because another one was faster. */
const PROGRAM = host.replace(
  /main "\$@"\nexit 0\n$/,
  [
    'mark= PATH=$PATH:/usr/bin:/bin looks=0 looked=$1/looked',
    'identify',
    // Each probe ends with a beat. At the third beat, the launch has already waited for the supervisor.
    'beat() { looks=$((looks + 1)); [ "$looks" -lt 3 ] || : >"$looked"; }',
    ': & supervisor=$!',
    'await_claim "$1" && echo begun\n',
  ].join('\n'),
);

it.each(SHELLS)('a launch waits for a run that a faster launch has claimed and not started yet (%s)', async (shell) => {
  const control = mkdtempSync(join(tmpdir(), 'perpetua-claim-'));
  onTestFinished(() => rmSync(control, { recursive: true, force: true }));
  mkdirSync(join(control, 'claim'));
  writeFileSync(join(control, 'claim', 'owner'), `${process.pid} ${birthOf(process.pid)} ${BOOT} 1\n`);
  const [program = '', ...first] = shell.split(' ');
  const launch = spawn(program, [...first, '-c', PROGRAM, 'host', control], { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [launch.stdout, launch.stderr]) stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const gone = once(launch, 'close');
  await expect.poll(() => existsSync(join(control, 'looked'))).toBe(true);
  writeFileSync(join(control, 'started.json'), '{}\n');
  await gone;
  expect(text).toContain('begun');
});
