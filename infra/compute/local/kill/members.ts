import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { killAll } from './kill-all.ts';
import { readOptional } from '../../../files.ts';
import { hasProcessMark } from '../../run-protocol/process-mark.ts';
import { otherProcesses, readOfProcess } from './processes.ts';

/** Marks by which the processes of one control directory are found if no pid namespace holds them. */
interface Marks {
  control: string;
  home: string;
  mark: string;
  uid: string | undefined;
}

/** Kills the processes that a dead supervisor left outside a pid namespace, until two scans find none. */
export async function killMembers(control: string): Promise<void> {
  const marks = await marksOf(control);
  if (!marks) return;
  await killAll(() => scan(marks), control);
}

/** Ids of the living processes of a control directory; none if a pid namespace held them. */
export async function membersOf(control: string): Promise<number[]> {
  const marks = await marksOf(control);
  return marks ? scan(marks) : [];
}

async function marksOf(control: string): Promise<Marks | undefined> {
  const spec = await readFile(join(control, 'spec'), 'utf8');
  const value = (name: string): string => valueIn(spec, name);
  const [containment, home, uid] = [value('containment'), value('work'), value('uid')];
  if (containment === 'pid-namespace') return undefined;
  // A scan for an empty folder name would match all processes.
  if (dirname(home).length < 2) throw new Error(`kill: expected the run's folder in ${control}/spec; got "${home}"`);
  return {
    control,
    home,
    mark: markIn(spec),
    uid: containment === 'uid' && /^[1-9]\d{3,}$/.test(uid) ? uid : undefined,
  };
}

/** Ids of the living processes that have the mark of a control directory, which no process has by chance. */
export async function markedOf(control: string): Promise<number[]> {
  const mark = markIn((await readOptional(join(control, 'spec'))) ?? '');
  const found: number[] = [];
  if (mark === '') return found;
  for (const pid of await otherProcesses()) {
    const status = await readOfProcess(pid, 'status');
    if (!isOver(status) && (await isMarked(pid, { mark, status }))) found.push(pid);
  }
  return found;
}

const valueIn = (spec: string, name: string): string =>
  (new RegExp(`^${name}='((?:[^']|'\\\\'')*)'$`, 'm').exec(spec)?.[1] ?? '').replaceAll(`'\\''`, `'`);

/** Reads the mark; an incomplete one counts as none, since it would match other processes. */
function markIn(spec: string): string {
  const mark = valueIn(spec, 'mark');
  return valueIn(spec, 'containment') === 'process-group' && /^\d{15}$/.test(mark) ? mark : '';
}

// A process whose first thread is a zombie lives on while other threads run.
const isOver = (status: string): boolean => /^State:\s[ZX]/m.test(status) && !/^Threads:\s([2-9]|\d\d)/m.test(status);

/** Any user may set their own limit to the number of the mark, so only processes of the worker's user count. */
async function isMarked(pid: number, { mark, status }: { mark: string; status: string }): Promise<boolean> {
  const isOurs = /^Uid:\s(\d+)/m.exec(status)?.[1] === String(process.getuid?.());
  return mark !== '' && isOurs && hasProcessMark(await readOfProcess(pid, 'limits'), mark);
}

async function scan(marks: Marks): Promise<number[]> {
  const found: number[] = [];
  for (const pid of await otherProcesses()) if (await isMember(pid, marks)) found.push(pid);
  return found;
}

async function isMember(pid: number, { control, home, mark, uid }: Marks): Promise<boolean> {
  const status = await readOfProcess(pid, 'status');
  if (isOver(status)) return false;
  const uids = /^Uid:\s(.*)$/m.exec(status)?.[1]?.split('\t') ?? [];
  if (uid !== undefined && uids.includes(uid)) return true;
  // A process that is about to become the run has only the control directory in its command line.
  if ((await readOfProcess(pid, 'cmdline')).split('\0').includes(control)) return true;
  if (await isMarked(pid, { mark, status })) return true;
  const environment = (await readOfProcess(pid, 'environ')).split('\0');
  return environment.some((entry) => entry === `HOME=${home}` || entry.startsWith(`HOME=${home}/`));
}
