import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { afterAll, expect } from 'vitest';

/** Ticks of the clock that /proc counts in, which Linux fixes at 100 a second. */
const TICKS = 100;

/** CPU seconds (user + system) of this process and of its ended children, without those that detached. */
function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  const own = (user + system) / 1e6;
  if (!existsSync('/proc/self/stat')) return own;
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(') ') + 2).split(' ');
  return own + (Number(fields[13]) + Number(fields[14])) / TICKS;
}

/** CPU seconds of the files before this one in the same process. */
const shared = globalThis as { perpetuaCpuBefore?: number };

const report = process.env['PERPETUA_TEST_CPU'];
// This hook runs after all others of the file, which stop the processes that the file started.
if (report !== undefined)
  afterAll(() => {
    const all = cpuSeconds();
    const seconds = all - (shared.perpetuaCpuBefore ?? 0);
    shared.perpetuaCpuBefore = all;
    appendFileSync(report, `${JSON.stringify({ file: expect.getState().testPath, seconds })}\n`);
  });
