import { killAll } from './kill-all.ts';
import { otherProcesses, readOfProcess } from './processes.ts';

interface Seen {
  pid: number;
  parent: number;
  session: number;
  /** It carries the setup's HOME. */
  tagged: boolean;
}

/**
 * Kills what still runs of the setup commands whose HOME is that folder: who carries it in its environment, who is in
 * a session that such a one leads, and all their children. Nothing is found by a process id that was written down,
 * which may be another's by now. Call it under the setup's lock: nothing of one's own runs then.
 */
export const killSetup = (home: string): Promise<void> => killAll(() => setupMembers(home), `the setup in ${home}`);

async function setupMembers(home: string): Promise<number[]> {
  const seen = (await Promise.all((await otherProcesses()).map((pid) => look(pid, home)))).flat();
  const sessions = new Set(seen.filter(({ pid, session, tagged }) => tagged && pid === session).map(({ pid }) => pid));
  const members = new Set(seen.filter(({ session, tagged }) => tagged || sessions.has(session)).map(({ pid }) => pid));
  for (let before = -1; before !== members.size;) {
    before = members.size;
    for (const { pid, parent } of seen) if (members.has(parent)) members.add(pid);
  }
  return [...members];
}

async function look(pid: number, home: string): Promise<Seen[]> {
  const stat = await readOfProcess(pid, 'stat');
  const [state, parent, , session] = stat.slice(stat.lastIndexOf(') ') + 2).split(' ');
  if (!state || !parent || !session || 'ZX'.includes(state)) return [];
  const tagged = (await readOfProcess(pid, 'environ')).split('\0').includes(`HOME=${home}`);
  return [{ pid, parent: Number(parent), session: Number(session), tagged }];
}
