import { printNote, type Io } from '../io.ts';
import type { OnceInput } from './run-once.ts';

/** How long one waits for a slot before it is said for what, and again. */
const WAIT_SECONDS = 5;
const AGAIN_SECONDS = 60;

/** On stderr, once for each new stage, so that stdout stays the result; with --json, too, what a slot is waited for. */
export function createProgressPrinter(io: Io, { json = false }: { json?: boolean }): OnceInput['onProgress'] {
  let [last, sayAt] = ['', Infinity];
  return ({ stage, waits, seconds }) => {
    const now = `after ${seconds.toFixed(0)} s: ${stage}`;
    if (stage !== last) {
      if (!json) printNote(io, now);
      sayAt = seconds + WAIT_SECONDS;
    }
    last = stage;
    if (waits === null || seconds < sayAt) return;
    printNote(io, `${now} ${waits}. Ctrl-C gives up`);
    sayAt = seconds + AGAIN_SECONDS;
  };
}
