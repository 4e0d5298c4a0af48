/**
 * Simulates the window controller of production on slots: busy share, staleness, steadiness, and the smallest fixed
 * window that keeps the slots as busy.   npx tsx bench/window.ts
 */
import { existsSync, realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { printTable } from './support/table.ts';
import { simulateWindow, type Propose } from './window/simulate.ts';

const PROPOSALS: readonly (readonly [Propose, Propose?])[] = [[0.05], [2], [10], ['heavy'], [2, 10], [10, 2]];

/** The smallest fixed window that keeps the slots as busy as `busy`, or busy for 98.5 % of the time. */
function leastFixed(scene: Parameters<typeof simulateWindow>[0], busy: number): { window: number; staleness: number } {
  const propose = scene.proposeLater ?? scene.propose;
  const steady = { slots: scene.slots, runSeconds: scene.runSeconds, trials: scene.trials, seed: scene.seed, propose };
  for (let fixed = scene.slots; fixed < 8 * scene.slots + 4; fixed += 1) {
    const outcome = simulateWindow({ ...steady, fixed });
    if (outcome.busy >= Math.min(busy, 0.985)) return { window: fixed, staleness: outcome.staleness };
  }
  return { window: 8 * scene.slots + 4, staleness: 0 };
}

/** Prints one row per number of slots, length of runs and kind of proposer. */
export function main(): void {
  const rows = [1, 4, 16].flatMap((slots) =>
    [2, 10, 30].flatMap((runSeconds) =>
      PROPOSALS.map(([propose, later]) => {
        const scene = { slots, runSeconds, propose, trials: 120 * Math.max(4, slots), seed: 3 };
        const all = later === undefined ? scene : { ...scene, proposeLater: later };
        const { busy, staleness, changes, turns, window } = simulateWindow(all);
        const least = leastFixed(all, busy);
        const kind = later === undefined ? String(propose) : `${propose} → ${later}`;
        const measured = [busy.toFixed(3), staleness.toFixed(1), window, changes, turns];
        return [slots, runSeconds, kind, ...measured, least.window, least.staleness.toFixed(1)];
      }),
    ),
  );
  printTable(
    'Window: simulated slots; busy share and staleness in the last quarter, changes once settled',
    ['slots', 'run s', 'propose s', 'busy', 'stale', 'window', 'changes', 'turns', 'least fixed', 'its stale'],
    rows,
  );
}

const started = process.argv[1];
if (started !== undefined && existsSync(started) && realpathSync(started) === fileURLToPath(import.meta.url)) main();
