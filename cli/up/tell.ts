import type { Io } from '../io.ts';
import { note, say, sayJson } from '../io.ts';
import type { OnEvent, StackEvent } from './events.ts';

const PLAIN_EVERY_MS = 10_000;
const CLEAR = '\r\u001b[K';

export type Style = 'terminal' | 'plain' | 'json';

/** Tells events as lines: progress is redrawn in place on a terminal, and told every ten seconds elsewhere. */
export function tellEvents(io: Io, style: Style, now: () => number = () => performance.now()): OnEvent {
  let toldAt = -PLAIN_EVERY_MS;
  let drawn = false;
  const progress = (event: StackEvent) => {
    if (style === 'terminal') {
      io.stdout.write(`${CLEAR}  ${event.text}`);
      drawn = true;
    } else if (now() - toldAt >= PLAIN_EVERY_MS) {
      toldAt = now();
      line(event);
    }
  };
  const line = (event: StackEvent) => {
    if (style === 'json') return sayJson(io, { event: event.type, part: event.part, text: event.text });
    if (drawn) io.stdout.write(CLEAR);
    drawn = false;
    if (event.type === 'warning') return note(io, `! ${event.text}`);
    say(io, `${event.type === 'ready' ? '✓' : '·'} ${event.text}`);
  };
  return (event) => (event.type === 'progress' ? progress(event) : line(event));
}
