import type { PreparationWait } from '../../domain/fleet/preparing.ts';
import type { PickStatements } from '../deps.ts';

/** Shortest time between two notes, so that a build with many lines of output causes few writes. */
const PAUSE_MS = 2000;

/** Stores a note for people of what a job waits for, with the last line of its output. `end` removes the note. */
export function createWaitReporter(
  { store }: PickStatements<'run', 'noteWait'>,
  { jobId, what }: { jobId: string; what: PreparationWait },
): { onOutput: (line: string) => void; begin: () => Promise<void>; end: () => Promise<void> } {
  let notedAt = 0;
  let noting: Promise<unknown> = Promise.resolve();
  const note = (waitsFor: PreparationWait): void => {
    notedAt = performance.now();
    // The note is only for display: if the database is away, the work goes on.
    noting = noting.then(() => store.run.noteWait({ jobId, waitsFor })).catch(() => undefined);
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
      await store.run.noteWait({ jobId, waitsFor: null });
    },
  };
}
