import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parseEnd } from '../../../../infra/compute/run-protocol/ending/parse-end.ts';
import { section, SHELLS } from './section.ts';

const base = mkdtempSync(join(tmpdir(), 'perpetua-times-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** The CPU time of each process by pid, in hundredths of a second, as one measurement finds it. */
type Measurement = Record<number, number>;

let count = 0;
/** Measures a run that began 10 s ago, on 2 cores; returns the CPU time after each measurement. */
function measure(shell: string[], measurements: Measurement[]): number[] {
  const folder = join(base, String((count += 1)));
  for (const [index, times] of measurements.entries())
    for (const [pid, ticks] of Object.entries(times)) {
      const at = join(folder, `measurement${index}`, pid);
      mkdirSync(at, { recursive: true });
      const fields = ['S', ...Array<number>(10).fill(0), ticks, ...Array<number>(30).fill(0)];
      writeFileSync(join(at, 'stat'), `${pid} (a (b) c) ${fields.join(' ')}\n`);
    }
  const script = `${section('clocks and identities')}\n${section('limits')}\n${section('CPU time of children')}
    members() { printf '%s\\n' current/[0-9]*; }
    read_cpu_group() { grouped=0; }
    clock
    began=$((now - 1000)) cores=2 containment=process-group init=50 cpu='' processes_limit=99 page_kb=4
    before='' unreaped=0 doubtful=0 told_before=0 grouped=0
    for folder in ${measurements.map((_, index) => `measurement${index}`).join(' ')}; do
      rm -rf current && mv $folder current
      measure
      echo "$ticks"
    done`;
  const [program = '', ...words] = shell;
  const { stdout, stderr } = spawnSync(program, [...words, '-c', script], { cwd: folder, encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout.trim().split('\n').map(Number);
}

describe.each(SHELLS)('the CPU time of a run under %s', (_, shell, missing) => {
  it.skipIf(missing)('is the sum of its processes, those that ended included', () => {
    expect(measure(shell, [{ 50: 10, 60: 300 }, { 50: 10 }, { 50: 20 }])).toEqual([310, 10, 320]);
  });

  it.skipIf(missing)('leaves out a measurement in which a process used more than all cores can', () => {
    const wrong = 616_950;
    expect(measure(shell, [{ 50: 10, 60: 300 }, { 50: 10, 60: wrong }, { 50: 10 }, { 50: 20 }])).toEqual([
      310, 0, 10, 320,
    ]);
  });

  it.skipIf(missing)('is that of the living processes alone if the ended ones make the sum impossible', () => {
    expect(measure(shell, [{ 50: 10, 60: 1990 }, { 50: 1000 }, { 50: 1010 }])).toEqual([2000, 1000, 1010]);
  });

  it.skipIf(missing)('may be all that the cores can use', () => {
    expect(measure(shell, [{ 50: 2000 }])).toEqual([2000]);
  });
});

it('the cores are those that the machine has in use', () => {
  const stat = readFileSync('/proc/stat', 'utf8').match(/^cpu\d/gm)?.length ?? 0;
  const { stdout } = spawnSync('sh', ['-c', `${section('limits')}\ncount_cores\necho "$cores"`], { encoding: 'utf8' });
  expect(Number(stdout)).toBe(stat);
});

describe('the CPU time at the end of a run', () => {
  const ended = {
    reason: 'exit',
    code: 0,
    startedAt: '2026-01-01T00:00:00Z',
    wallCs: 300,
    user: '0m1.5s',
    system: '0m0.5s',
    maxRssKb: 1024,
    ticks: 150,
    unreapedCs: 100,
    containment: 'uid',
    sandboxed: 0,
    treeGone: true,
  };
  const cpuSecondsOf = (changes: object): number | undefined =>
    parseEnd(JSON.stringify({ ...ended, ...changes }), 0)?.cpuSeconds;

  it("is the shell's sum with what was not waited for, if the cores can use that much", () => {
    expect(cpuSecondsOf({ mostCs: 1100 })).toBe(3);
    expect(cpuSecondsOf({ mostCs: null })).toBe(3);
    expect(cpuSecondsOf({})).toBe(3);
  });

  it('is that of the measurements if the sum is more than the cores can use', () => {
    expect(cpuSecondsOf({ user: '102m49.5s', mostCs: 1100 })).toBe(1.5);
    expect(cpuSecondsOf({ unreapedCs: 616_950, mostCs: 1100 })).toBe(2);
  });
});
