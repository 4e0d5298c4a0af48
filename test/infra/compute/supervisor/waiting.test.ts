import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { isMissing, section, SHELLS } from './section.ts';

const base = mkdtempSync(join(tmpdir(), 'perpetua-waiting-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

interface Thread {
  /** Seconds that the thread computed, and seconds that it waited for a CPU. */
  ran: number;
  queued: number;
  state?: 'R' | 'S';
  nice?: number;
  cpus?: string;
}
interface Process {
  /** CPU seconds with the ended children that the process has waited for; default: those of its threads. */
  reported?: number;
  /** Nice value of the process's session. */
  session?: number;
  threads: Thread[];
}
/** Processes by pid, as one measurement of the supervisor finds them. */
type Look = Record<number, Process>;

const ownCpus = /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '';
const ownNice = Number(
  readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')[16],
);
const sum = (numbers: number[]): number => numbers.reduce((total, number) => total + number, 0);
const cpuSeconds = ({ reported, threads }: Process): number => reported ?? sum(threads.map(({ ran }) => ran));

function writeLook(folder: string, look: Look): void {
  for (const [pid, { threads, session }] of Object.entries(look)) {
    for (const [index, one] of threads.entries()) {
      const thread = join(folder, pid, 'task', String(Number(pid) + index));
      mkdirSync(thread, { recursive: true });
      const words = [one.state ?? 'S', ...Array<number>(15).fill(0), one.nice ?? ownNice, ...Array<number>(21).fill(0)];
      writeFileSync(join(thread, 'stat'), `${pid} (a (b) c) ${[...words, 0, 0, 0].join(' ')}\n`);
      writeFileSync(join(thread, 'schedstat'), `${one.ran * 1e9} ${one.queued * 1e9} 7\n`);
      writeFileSync(join(thread, 'status'), `Name:\tx\nCpus_allowed_list:\t${one.cpus ?? ownCpus}\n`);
    }
    if (session !== undefined) writeFileSync(join(folder, pid, 'autogroup'), `/autogroup-47 nice ${session}\n`);
  }
  writeFileSync(join(folder, 'ticks'), `${Math.floor(sum(Object.values(look).map(cpuSeconds)) * 100)}\n`);
}

let count = 0;
/**
 * Feeds the measurements to the supervisor's code one by one; returns the seconds waited, null if unknown. `every`:
 * seconds between two measurements. `meanwhile`: command after the start of the run.
 */
function waited(shell: string[], looks: Look[], { every = 0.5, meanwhile = ':' } = {}): number | null {
  const folder = join(base, String((count += 1)));
  for (const [index, look] of looks.entries()) {
    mkdirSync(join(folder, `look${index}`), { recursive: true });
    writeLook(join(folder, `look${index}`), look);
  }
  const script = `${section('clocks and identities')}\n${section('waiting for a CPU')}
    me=$$ init=1 waited='' own=0 computed_before=0 keenest_before='' stalled_before=0 counted_at=0 looked_at=0
    record_given
    ${meanwhile}
    for look in ${looks.map((_, index) => `look${index}`).join(' ')}; do
      rm -rf now && mv $look now && read -r ticks <now/ticks
      looked_at=$((looked_at + ${every * 100}))
      look_at_threads now/[0-9]*
      count_wait now/[0-9]*
    done
    echo "\${waited:-null}"`;
  const [program = '', ...words] = shell;
  const { stdout, stderr } = spawnSync(program, [...words, '-c', script], { cwd: folder, encoding: 'utf8' });
  expect(stderr).toBe('');
  const value = JSON.parse(stdout) as number | null;
  return value === null ? null : value / 100;
}

const thread = (ran: number, queued: number, more: Partial<Thread> = {}): Thread => ({ ran, queued, ...more });
const one = (...threads: Thread[]): Look => ({ 50: { threads } });

const CASES: [title: string, looks: Look[], seconds: number | null][] = [
  ['a run that sleeps has waited for nothing', [one(thread(0.02, 0.001)), one(thread(0.02, 0.001))], 0],
  ['a run that computes alone has waited for nothing', [one(thread(1, 0)), one(thread(5, 0.01))], 0.01],
  ['a run that gets half of a core has waited for the other half', [one(thread(1, 1)), one(thread(5, 5))], 5],
  ['time that it slept in between does not count', [one(thread(1, 1)), one(thread(1, 1)), one(thread(1, 1))], 1],
  [
    'threads that wait for each other have waited for no other run',
    [one(...Array.from({ length: 20 }, () => thread(0.1, 1.9)))],
    0,
  ],
  [
    'of the wait of such threads, only the time that others took counts',
    [one(thread(1, 3, { state: 'R' }), thread(1, 3, { state: 'R' }))],
    2,
  ],
  [
    'processes that it has waited for count as its own',
    [{ 50: { threads: [thread(1, 2)] }, 60: { reported: 2, threads: [thread(0.01, 0)] } }],
    0,
  ],
  [
    'a process that was seen to compute, and that is gone, counts as its own',
    [
      { 50: { threads: [thread(1, 1)] }, 70: { threads: [thread(1, 0)] } },
      { 50: { threads: [thread(1, 1)] } },
      { 50: { threads: [thread(1, 2)] }, 71: { threads: [thread(1, 0)] } },
    ],
    0,
  ],
  [
    'a process that computes while the run waits takes off a second, at each measurement',
    [
      { 50: { threads: [thread(1, 0.5)] }, 70: { threads: [thread(0, 0, { state: 'R' })] } },
      { 50: { threads: [thread(1.5, 1)] }, 71: { threads: [thread(0, 0, { state: 'R' })] } },
      { 50: { threads: [thread(2, 4)] } },
    ],
    2,
  ],
  [
    'a process that computes while the run does not wait takes off nothing',
    [
      { 50: { threads: [thread(1, 0)] }, 70: { threads: [thread(0, 0, { state: 'R' })] } },
      { 50: { threads: [thread(2, 3)] } },
    ],
    3,
  ],
  [
    'a thread that lowered its own priority has waited for nothing',
    [0.9, 1.8, 2.7].map((queued) => one(thread(1, queued, { nice: ownNice + 1 }))),
    0,
  ],
  [
    'a thread that restricted itself to fewer CPUs has waited for nothing',
    [0.9, 1.8, 2.7].map((queued) => one(thread(1, queued, { cpus: '77' }))),
    0,
  ],
  [
    'a run that lowered the share of its session has waited for nothing',
    [0.9, 1.8, 2.7].map((queued) => ({ 50: { threads: [thread(1, queued)], session: 10 } })),
    0,
  ],
  [
    'a run that left the share of its session as it was has waited',
    [0.9, 1.8, 2.7].map((queued) => ({ 50: { threads: [thread(1, queued)], session: 0 } })),
    2.7,
  ],
  ['the wait is unknown on a kernel that does not measure it', [one(thread(0, 0))], null],
  ['the wait is unknown for a run that was never measured', [{}], null],
];

describe.each(SHELLS)('the wait for a CPU under %s', (_, shell, missing) => {
  it.skipIf(missing).each(CASES)('%s', (_title, looks, seconds) => {
    expect(waited(shell, looks)).toBe(seconds);
  });

  it.skipIf(missing)('is nothing for a thread that lowered its own priority, however rare the measurements are', () => {
    const looks = [4.5, 9, 13.5].map((queued) => one(thread(0.5, queued, { nice: ownNice + 1 })));
    expect(waited(shell, looks, { every: 5 })).toBe(0);
  });

  it.skipIf(missing || isMissing('renice'))('is nothing for a run that lowered its supervisor, too', () => {
    const looks = [0.9, 1.8, 2.7].map((queued) => one(thread(1, queued, { nice: ownNice + 1 })));
    expect(waited(shell, looks, { meanwhile: `renice -n ${ownNice + 1} -p $$ >/dev/null` })).toBe(0);
  });
});

/** Seconds that are left of a limit of 30 s with a backstop of 120 s, and whether the run lacked time. */
function timeLeft(shell: string[], times: { now: number; lookedAt: number; waited: number | '' }): [number, boolean] {
  const script = `${section('waiting for a CPU')}
    began=500 wall=3000 most_wall=12000 now=$((500 + ${times.now * 100})) looked_at=$((500 + ${times.lookedAt * 100}))
    waited=${times.waited === '' ? '' : times.waited * 100}
    count_left
    if lacked_time; then echo "$left true"; else echo "$left false"; fi`;
  const [program = '', ...words] = shell;
  const { stdout, stderr } = spawnSync(program, [...words, '-c', script], { encoding: 'utf8' });
  expect(stderr).toBe('');
  const [left, lacked] = stdout.trim().split(' ');
  return [Number(left) / 100, lacked === 'true'];
}

describe.each(SHELLS)('the time limit under %s', (_, shell, missing) => {
  it.skipIf(missing).each<[string, Parameters<typeof timeLeft>[1], number, boolean]>([
    ['counts the time of a run that did not wait', { now: 20, lookedAt: 20, waited: 0 }, 10, true],
    ['counts the time of a run whose wait is unknown', { now: 31, lookedAt: 31, waited: '' }, -1, false],
    ['does not count the wait', { now: 50, lookedAt: 50, waited: 25 }, 5, true],
    ['is over once the run had all of its time', { now: 60, lookedAt: 60, waited: 30 }, 0, false],
    ['counts up to the last measurement', { now: 40, lookedAt: 25, waited: 0 }, 5, false],
    ['is over at the backstop if the run hardly had a CPU', { now: 120, lookedAt: 119, waited: 100 }, 0, true],
    ['is over at the backstop if nothing was measured', { now: 120, lookedAt: 0, waited: 0 }, 0, false],
  ])('%s', (_title, times, left, lacked) => {
    expect(timeLeft(shell, times)).toEqual([left, lacked]);
  });
});
