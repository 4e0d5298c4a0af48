import { truncate } from '../../../prompt/strip-controls.ts';
import { fenced } from '../../../prompt/fenced.ts';

/**
 * Files as text of at most `room` characters, sorted by path. If the room is too short, the longest files are cut, with
 * `cutNote` after the path.
 */
export function fileTexts(files: Readonly<Record<string, string>>, room: number, cutNote: string): string {
  const entries = Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1));
  let free = room;
  const texts = new Map<string, string>();
  // Shortest first: longer files get the room that shorter ones do not use.
  entries
    .toSorted(([, a], [, b]) => a.length - b.length)
    .forEach(([path, text], i) => {
      const part = fileText({ path, text }, Math.floor(free / (entries.length - i)), cutNote);
      texts.set(path, part);
      free -= part.length;
    });
  return entries.map(([path]) => texts.get(path) ?? '').join('');
}

function fileText({ path, text }: { path: string; text: string }, room: number, cutNote: string): string {
  const whole = `${path}\n${fenced(text)}\n\n`;
  if (whole.length <= room) return whole;
  for (let max = room - 200; max > 0; max = Math.floor(max * 0.7)) {
    const part = `${path} (${cutNote})\n${fenced(truncate(text, max, 'head'))}\n\n`;
    if (part.length <= room) return part;
  }
  return `${path} (too long to show)\n\n`.slice(0, Math.max(0, room));
}
