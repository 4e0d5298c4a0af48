import { withoutEscapes } from '../../../../../domain/text/clean.ts';

/** A line of a log with its number in the stored part, from 1 on. */
export interface LogLine {
  no: number;
  text: string;
}

/** The lines of a log, without what colours a terminal; a carriage return, which draws a line over, begins a new one. */
export function linesOfLog(text: string): LogLine[] {
  const lines = withoutEscapes(text).split(/\r\n|[\n\r]/);
  if (lines.at(-1) === '') lines.pop();
  return lines.map((line, at) => ({ no: at + 1, text: line }));
}

/** The lines that have a text in them, in any case. */
export function linesWith(lines: readonly LogLine[], search: string): readonly LogLine[] {
  const sought = search.toLowerCase();
  return sought === '' ? lines : lines.filter(({ text }) => text.toLowerCase().includes(sought));
}
