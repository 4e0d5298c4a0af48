import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, expect, test, vi } from 'vitest';
import { createRandom } from '../../../domain/statistics/random.ts';
import { TASK } from '../../../bench/tasks/nano-lm/trial.ts';

afterEach(() => vi.restoreAllMocks());

/** Microseconds of CPU from one look at the clock to the next, whatever is computed between them. */
const LOOK = 100;
/** Reference seconds in such a second: the reference core needs 280 for the piece that is timed. */
const SPEED = 2.8;

/** Reference seconds to a CPU second, over so many of them, by a CPU clock that shows these microseconds for the true ones. */
async function speedBy(name: string, shown: (micros: number) => number, seconds = 2): Promise<number> {
  let micros = 0;
  vi.spyOn(process, 'cpuUsage').mockImplementation(() => ({ user: shown((micros += LOOK)), system: 0 }));
  const url = `${pathToFileURL(join(TASK, 'workspace/clock.mjs')).href}?${name}`;
  const { referenceSeconds } = (await import(url)) as { referenceSeconds: () => number };
  let spent = 0;
  while (micros < seconds * 1e6) spent = referenceSeconds();
  return spent / (shown(micros) / 1e6);
}

test.each([1, 1000, 10_000, 15_625])(
  'a CPU clock of ticks of %d µs gives seconds of the reference core',
  async (tick) => {
    const speed = await speedBy(`tick=${tick}`, (micros) => Math.floor(micros / tick) * tick);
    expect(Math.abs(speed / SPEED - 1)).toBeLessThan(0.1);
  },
);

test('a CPU clock that stands still now and then leaves the speed as it was', async () => {
  const speed = await speedBy('still', (micros) => micros - LOOK * Math.floor(micros / (7 * LOOK)));
  expect(Math.abs(speed / SPEED - 1)).toBeLessThan(0.1);
});

test('a CPU clock that hardly moves now and then, as where the core is taken away, leaves the speed as it was', async () => {
  const random = createRandom(7);
  let lost = 0;
  const speed = await speedBy('taken', (micros) => micros - (random.uniform() < 0.01 ? (lost += LOOK - 1) : lost));
  expect(Math.abs(speed / SPEED - 1)).toBeLessThan(0.15);
});

test('a CPU clock that hardly moves at any one of its first looks leaves the speed as it was', async () => {
  for (let at = 1; at <= 250; at += 1) {
    let look = 0;
    const speed = await speedBy(`once=${at}`, (micros) => ((look += 1) < at ? micros : micros - (LOOK - 1)), 0.04);
    expect(Math.abs(speed / SPEED - 1), `cheated at look ${at}`).toBeLessThan(0.1);
  }
});
