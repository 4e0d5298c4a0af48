import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { namesIn, readOptional } from '../../files.ts';

/** What marks the processes of one control directory where no namespace holds them. */
interface Marks {
  control: string;
  home: string;
  uid: string | undefined;
}

const GONE_MS = 10_000;

/** Kills what a dead supervisor left outside a pid namespace: stop, scan, kill until two scans are empty. */
export async function killMembers(control: string): Promise<void> {
  const marks = await marksOf(control);
  if (!marks) return;
  const end = Date.now() + GONE_MS;
  for (let empty = 0; empty < 2;) {
    const found = await scan(marks);
    empty = found.length === 0 ? empty + 1 : 0;
    if (found.length > 0 && Date.now() > end)
      throw new Error(
        `kill: expected processes ${found.join(', ')} of ${control} to be gone within ${GONE_MS / 1000} s`,
      );
    // Stopped first, so that none of them starts another while the rest dies.
    for (const pid of found) signal(pid, 'SIGSTOP');
    for (const pid of found.length > 0 ? [...found, ...(await scan(marks))] : []) signal(pid, 'SIGKILL');
  }
}

/** Process ids of what still lives of a control directory outside a pid namespace; none inside of one. */
export async function membersOf(control: string): Promise<number[]> {
  const marks = await marksOf(control);
  return marks ? scan(marks) : [];
}

async function marksOf(control: string): Promise<Marks | undefined> {
  const spec = await readFile(join(control, 'spec'), 'utf8');
  const value = (name: string): string =>
    (new RegExp(`^${name}='((?:[^']|'\\\\'')*)'$`, 'm').exec(spec)?.[1] ?? '').replaceAll(`'\\''`, `'`);
  const [containment, home, uid] = [value('containment'), value('work'), value('uid')];
  if (containment === 'pid-namespace') return undefined;
  // A scan with an empty name would find everybody.
  if (dirname(home).length < 2) throw new Error(`kill: expected the run's folder in ${control}/spec; got "${home}"`);
  return { control, home, uid: containment === 'uid' && /^[1-9]\d{3,}$/.test(uid) ? uid : undefined };
}

async function scan(marks: Marks): Promise<number[]> {
  const pids = (await namesIn('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  const found: number[] = [];
  for (const pid of pids)
    if (pid > 1 && pid !== process.pid && (await isMember(`/proc/${pid}`, marks))) found.push(pid);
  return found;
}

async function isMember(folder: string, { control, home, uid }: Marks): Promise<boolean> {
  const status = await readProcess(join(folder, 'status'));
  if (/^State:\s[ZX]/m.test(status)) return false;
  const uids = /^Uid:\s(.*)$/m.exec(status)?.[1]?.split('\t') ?? [];
  if (uid !== undefined && uids.includes(uid)) return true;
  // What is on its way to become the run has only the control directory among its words yet.
  if ((await readProcess(join(folder, 'cmdline'))).split('\0').includes(control)) return true;
  const environment = (await readProcess(join(folder, 'environ'))).split('\0');
  return environment.some((entry) => entry === `HOME=${home}` || entry.startsWith(`HOME=${home}/`));
}

// Another user's process cannot be read, and is none of ours.
async function readProcess(file: string): Promise<string> {
  try {
    return (await readOptional(file)) ?? '';
  } catch (error) {
    if (['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) return '';
    throw error;
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
