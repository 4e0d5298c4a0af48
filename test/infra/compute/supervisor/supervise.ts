import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RunLimits } from '../../../../domain/job/run-limits.ts';
import { readEnd } from '../../../../infra/compute/local/attempt/read-end.ts';
import { writeControl } from '../../../../infra/compute/local/supervise.ts';
import type { Confinement } from '../../../../infra/compute/run-protocol/confinement/confinement.ts';
import { LIMITS } from '../conformance/support.ts';
import { isMissing } from './section.ts';

/** True if tests may run programs as other users. */
export const isRoot = process.getuid?.() === 0;
/** Uid of a user that owns nothing. */
export const NOBODY = 65_534;
/** Folder of all runs of these tests. */
export const base = mkdtempSync(join(tmpdir(), 'perpetua-supervisor-'));
const script = join(base, 'supervisor.sh');
chmodSync(base, 0o755);
copyFileSync(fileURLToPath(new URL('../../../../infra/compute/supervisor.sh', import.meta.url)), script);
// Removed with the process, not after a file of tests: other files of the process use the same module.
process.once('exit', () => rmSync(base, { recursive: true, force: true }));

/** Shell, confinement and user with which a command is supervised. */
export interface Setting {
  shell: string[];
  confinement: Confinement;
  uid: number | null;
  /** The user that the supervisor itself runs as. */
  user?: number;
  /** Owner of the run's folders, if `within` starts the supervisor as another user. */
  owner?: number;
  /** Arguments before the shell, such as `env PATH=…`. */
  within?: string[];
  /** Descriptors that its caller leaves open. */
  open?: number[];
  /** The staged workspace. */
  staged?: string;
  /** True: stdout and stderr are kept apart. */
  apart?: boolean;
}
let count = 0;
const secret = join(base, 'secret');
writeFileSync(secret, 'of the caller');
const caller = openSync(secret, 'r+');
const opened = (numbers: number[]): (number | 'ignore')[] =>
  Array.from({ length: Math.max(2, ...numbers) - 2 }, (_, index) => (numbers.includes(index + 3) ? caller : 'ignore'));

/** Runs one command under the supervisor script; returns its end, exit code, output, errors and directory. */
export async function supervise(
  { shell, confinement, uid, user, owner = user, within = [], open = [], staged = '', apart }: Setting,
  command: string,
  limits: Partial<RunLimits> = {},
) {
  const directory = join(base, `r${(count += 1)}`, '1');
  const at = (name: string): string => join(directory, name);
  for (const name of ['work', 'tmp', 'root']) mkdirSync(at(name), { recursive: true });
  await writeControl(at('ctl'), {
    control: at('ctl'),
    work: at('work'),
    tmp: at('tmp'),
    root: at('root'),
    fence: 1,
    talk: false,
    apart,
    command,
    env: { PATH: '/usr/bin:/bin', HOME: at('work') },
    limits: { ...LIMITS, ...limits },
    staged,
    confinement,
    uid,
    show: [],
    hide: [],
    supervisor: script,
    shell: shell.join(' '),
  });
  if (uid !== null) for (const name of ['work', 'tmp']) chownSync(at(name), uid, uid);
  if (owner !== undefined) spawnSync('chown', ['-R', String(owner), directory]);
  const words = [...within, ...shell, script, at('ctl')];
  const child = spawn(words[0] ?? '', words.slice(1), {
    cwd: '/',
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' },
    stdio: ['ignore', 'ignore', 'pipe', ...opened(open)],
    ...(user === undefined ? {} : { uid: user, gid: user }),
  });
  let complaints = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (complaints += text));
  const [code] = (await once(child, 'close')) as [number | null];
  const [end, output] = [await readEnd(at('ctl')), readFileSync(at('ctl/output'), 'utf8')];
  return { end, code, output, complaints, directory };
}

/**
 * Supervises a command up to its wall limit. Retries with a longer limit if the sandbox was not built in time, or if
 * the command had not made all files of `ready` in its folder.
 */
export async function superviseToWall(
  setting: Setting,
  command: string,
  limits: Partial<RunLimits> = {},
  ready: string[] = [],
) {
  for (let wallSeconds = 2; ; wallSeconds *= 4) {
    const got = await supervise(setting, command, { ...limits, wallSeconds });
    const begun = got.code !== 71 || readFileSync(join(got.directory, 'ctl/begun'), 'utf8').startsWith('1');
    const isReady = begun && ready.every((name) => existsSync(join(got.directory, 'work', name)));
    // `late`: seconds from the wall limit to the end.
    if (isReady || wallSeconds > 30) return { ...got, late: (got.end?.wallSeconds ?? NaN) - wallSeconds };
  }
}

/** Living processes that carry a run's directory in their environment. */
export function processesOf(directory: string): string[] {
  const found = spawnSync('sh', ['-c', `grep -lsF 'HOME=${directory}' /proc/[0-9]*/environ`], { encoding: 'utf8' });
  return found.stdout.trim().split('\n').filter(Boolean);
}

/** True if a program is installed. */
export const has = (program: string): boolean => !isMissing(program);
