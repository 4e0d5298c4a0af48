import { cut } from '../../prompt/clean.ts';
import { fenced } from '../../prompt/fenced.ts';
import type { ContextPart } from '../context.ts';

/** The parent's mutable files. */
export const files: ContextPart = {
  tokens: 15_000,
  applies: () => true,
  render: ({ files }, room) => filesSection(files, room + 1).replace(/\n$/, ''),
};

/**
 * The files as text of at most `room` characters. Each comes as it is, since an edit must copy it exactly; where the
 * room is short, the longest are cut and say so.
 */
function filesSection(files: Record<string, string>, room: number): string {
  const head = '## The files you may change\n\n';
  const entries = Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1));
  let left = room - head.length;
  const texts = new Map<string, string>();
  // The shortest first: what they leave over goes to the longer ones.
  entries
    .toSorted(([, a], [, b]) => a.length - b.length)
    .forEach(([path, text], i) => {
      const part = fileText(path, text, Math.floor(left / (entries.length - i)));
      texts.set(path, part);
      left -= part.length;
    });
  return head + entries.map(([path]) => texts.get(path) ?? '').join('');
}

function fileText(path: string, text: string, room: number): string {
  const whole = `${path}\n${fenced(text)}\n\n`;
  if (whole.length <= room) return whole;
  for (let max = room - 200; max > 0; max = Math.floor(max * 0.7)) {
    const shown = cut(text, max, 'head');
    const part = `${path} (too long to show whole: change only what you see, with SEARCH/REPLACE)\n${fenced(shown)}\n\n`;
    if (part.length <= room) return part;
  }
  return `${path} (too long to show)\n\n`.slice(0, Math.max(0, room));
}
