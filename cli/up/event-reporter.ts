import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { homePaths } from '../../config/paths.ts';
import type { Io } from '../io.ts';
import { printNote, printLine, printJson } from '../io.ts';
import type { OnEvent, StackEvent } from './events.ts';

const PROGRESS_EVERY_MS = 10_000;

interface PrinterOptions {
  io: Io;
  /** True: a JSON object for each event; false: a line. */
  json: boolean;
}

interface ReporterOptions extends PrinterOptions {
  home: string;
  /** Second receiver of each event. */
  also?: OnEvent | undefined;
}

/** Prints events and writes them into `logs/up.log`; progress is only printed. */
export function createEventReporter({ home, also, ...printing }: ReporterOptions): OnEvent {
  const { logs } = homePaths(home);
  const log = join(logs, 'up.log');
  const print = createEventPrinter(printing);
  return (event) => {
    if (event.type !== 'progress') {
      mkdirSync(logs, { recursive: true, mode: 0o711 });
      appendFileSync(log, `${new Date().toISOString()} ${event.type} ${event.part} ${event.text}\n`);
    }
    also?.(event);
    print(event);
  };
}

/** Prints events as lines or JSON, progress at most every ten seconds. */
export function createEventPrinter({ io, json }: PrinterOptions, now: () => number = () => performance.now()): OnEvent {
  let progressAt = -PROGRESS_EVERY_MS;
  const line = (event: StackEvent) => {
    if (json) return printJson(io, { event: event.type, part: event.part, text: event.text });
    if (event.type === 'warning') return printNote(io, `! ${event.text}`);
    printLine(io, `${event.type === 'ready' ? '✓' : '·'} ${event.text}`);
  };
  return (event) => {
    if (event.type === 'progress') {
      if (now() - progressAt < PROGRESS_EVERY_MS) return;
      progressAt = now();
    }
    line(event);
  };
}
