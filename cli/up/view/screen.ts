import type { Output } from '../../io.ts';

const HIDE = '\x1b[?25l';
const SHOW = '\x1b[?25h';
/** Terminals that know it show the lines between in one go; the others ignore it. */
const BEGIN = '\x1b[?2026h';
const END = '\x1b[?2026l';
const TO_END_OF_LINE = '\x1b[K';
const TO_END_OF_SCREEN = '\x1b[J';

/** Draws frames over each other in place; only what changed is written. */
export function createScreen(out: Output) {
  let shown: string[] = [];
  let width = 0;
  let hidden = false;
  return {
    draw(lines: string[]): void {
      const columns = out.columns ?? 80;
      // A new width has wrapped the old lines anew: where they are is not known any more.
      const resized = width !== 0 && width !== columns;
      if (!resized && sameLines(lines, shown)) return;
      const start = resized ? '\x1b[2J\x1b[H' : shown.length > 0 ? `\x1b[${shown.length}A\r` : '';
      const before = resized ? [] : shown;
      const body = lines.map((line, index) => (line === before[index] ? '\n' : `${line}${TO_END_OF_LINE}\n`)).join('');
      out.write(`${hidden ? '' : HIDE}${BEGIN}${start}${body}${TO_END_OF_SCREEN}${END}`);
      hidden = true;
      shown = lines;
      width = columns;
    },
    /** Leaves the last frame and gives the cursor back. */
    close(): void {
      if (hidden) out.write(SHOW);
      hidden = false;
    },
  };
}

const sameLines = (a: string[], b: string[]): boolean =>
  a.length === b.length && a.every((line, index) => line === b[index]);
