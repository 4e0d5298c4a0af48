import { printNote, type Io } from '../io.ts';
import type { OnceInput } from './run-once.ts';

/** Seconds in one stage before the printer reports what the run waits for. */
const WAIT_SECONDS = 5;
/** Seconds until the printer repeats what the run waits for. */
const AGAIN_SECONDS = 60;

/**
 * Prints each new stage once to stderr, so that stdout has the result alone. With --json it prints only what a run
 * waits for.
 */
export function createProgressPrinter(io: Io, { json = false }: { json?: boolean }): OnceInput['onProgress'] {
  let lastStage = '';
  let printAt = Infinity;
  return ({ stage, waits, seconds }) => {
    const now = `after ${seconds.toFixed(0)} s: ${stage}`;
    if (stage !== lastStage) {
      if (!json) printNote(io, now);
      printAt = seconds + WAIT_SECONDS;
    }
    lastStage = stage;
    if (waits === null || seconds < printAt) return;
    printNote(io, `${now} ${waits}. Ctrl-C gives up`);
    printAt = seconds + AGAIN_SECONDS;
  };
}
