import type { Preparing } from '../../domain/fleet/preparing.ts';
import type { PickStatements } from '../deps.ts';

/** Between two notes, so that a build of many lines costs a row a few writes. */
const PAUSE_MS = 2000;

/** Notes for people what a job waits for, with the last line that is said of it; `end` takes the note away. */
export function createWaitReporter(
  { store }: PickStatements<'run', 'noteWait'>,
  { trialId, what }: { trialId: string; what: Preparing },
): { onOutput: (line: string) => void; begin: () => Promise<void>; end: () => Promise<void> } {
  let notedAt = 0;
  let noting: Promise<unknown> = Promise.resolve();
  const note = (waitsFor: Preparing): void => {
    notedAt = performance.now();
    // It is only told: where the database is away, the work goes on.
    noting = noting.then(() => store.run.noteWait({ trialId, waitsFor })).catch(() => undefined);
  };
  return {
    begin: async () => {
      note(what);
      await noting;
    },
    onOutput: (line) => {
      if (line.trim() !== '' && performance.now() - notedAt >= PAUSE_MS) note(`${what}: ${line.trim()}`);
    },
    end: async () => {
      await noting;
      await store.run.noteWait({ trialId, waitsFor: null });
    },
  };
}
