import { writeSetup } from '../../config/dashboard/setup.ts';
import { type SetupView, withEnd, withEvent } from '../../view/setup.ts';
import type { OnEvent } from './events.ts';

/** Progress is written down no more often. */
const PROGRESS_MS = 500;

export interface SetupFile {
  onEvent: OnEvent;
  /** The home is ours: from here on it is written down, before that the file is another stack's. */
  begin: () => void;
  /** The start is over; later events, and a later end, are none of it. Null: all is there. */
  end: (failure: string | null) => void;
}

/** Writes down how a start goes, for the dashboard. A disk that refuses it keeps nothing from starting. */
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
      // It is told on the terminal, too.
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
