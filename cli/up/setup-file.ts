import { writeSetup } from '../../config/dashboard/setup.ts';
import { type SetupView, withEnd, withEvent } from '../../view/setup.ts';
import type { OnEvent } from './events.ts';

/** Least interval between two writes of progress. */
const PROGRESS_MS = 500;

export interface SetupFile {
  onEvent: OnEvent;
  /** Begins the writes. Call it once this process holds the home: before that, the file may belong to another stack. */
  begin: () => void;
  /** Writes the end of the start; null: success. Later events and a later end are ignored. */
  end: (failure: string | null) => void;
}

/** Writes the progress of a start into a file for the dashboard. A failed write does not stop the start. */
export function openSetupFile(home: string, now: () => Date = () => new Date()): SetupFile {
  let view: SetupView = { startedAt: now().toISOString(), done: false, steps: [] };
  let writtenAt = -Infinity;
  let begun = false;
  let over = false;
  const write = (): void => {
    if (!begun) return;
    writtenAt = now().getTime();
    try {
      writeSetup(home, view);
    } catch {
      // The terminal shows the same progress.
    }
  };
  return {
    begin: () => {
      begun = true;
      write();
    },
    onEvent: (event) => {
      if (over) return;
      view = withEvent(view, event, now().toISOString());
      if (event.type !== 'progress' || now().getTime() - writtenAt >= PROGRESS_MS) write();
    },
    end: (failure) => {
      if (over) return;
      over = true;
      view = withEnd(view, failure, now().toISOString());
      write();
    },
  };
}
