import type { Knob } from '../knob/knob.ts';
import { locateKnob } from './knob-edit.ts';

/**
 * The text whose SHA-256 is the structure of a candidate: its mutable files (path to text) without the literals of the
 * knobs. Two candidates of a task have one structure if they differ only in values of knobs.
 */
export function structureContent(knobs: readonly Knob[], files: Readonly<Record<string, string>>): string {
  const spans = new Map<string, { start: number; end: number }[]>();
  for (const knob of knobs) {
    const location = locateKnob(files, knob);
    if (location === null) continue;
    const { start, end } = location.at;
    spans.set(knob.file, [...(spans.get(knob.file) ?? []), { start, end }]);
  }
  const blanked = Object.keys(files)
    .sort()
    .map((path) => [path, withoutSpans(files[path] ?? '', spans.get(path) ?? [])]);
  return JSON.stringify(['structure/1', blanked]);
}

/** The parts of a text between the spans. */
function withoutSpans(text: string, spans: readonly { start: number; end: number }[]): string[] {
  const parts: string[] = [];
  let from = 0;
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    parts.push(text.slice(from, start));
    from = end;
  }
  parts.push(text.slice(from));
  return parts;
}
