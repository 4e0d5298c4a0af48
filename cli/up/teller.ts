import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { homePaths } from '../../config/paths.ts';
import type { Io } from '../io.ts';
import type { OnEvent } from './events.ts';
import { type Style, tellEvents } from './tell.ts';

interface Telling {
  io: Io;
  style: Style;
  home: string;
  /** Hears each event, too. */
  also?: OnEvent | undefined;
}

/** Tells events on the terminal, or, while a live view owns it, only in the log. Every event is in `logs/up.log`. */
export function createTeller({ io, style, home, also }: Telling) {
  const { logs } = homePaths(home);
  const log = join(logs, 'up.log');
  const tell = tellEvents(io, style);
  let viewing = false;
  const onEvent: OnEvent = (event) => {
    if (event.type !== 'progress') {
      mkdirSync(logs, { recursive: true });
      appendFileSync(log, `${new Date().toISOString()} ${event.type} ${event.part} ${event.text}\n`);
    }
    also?.(event);
    if (!viewing) tell(event);
  };
  return {
    onEvent,
    whileViewing: async (view: () => Promise<void>): Promise<void> => {
      viewing = style === 'terminal';
      try {
        await view();
      } finally {
        viewing = false;
      }
    },
  };
}
