import { type AnswerContent, answerContentOf } from './answer-content.ts';
import type { KnownFiles } from './known-paths.ts';
import { isLabelled } from './prose.ts';
import { findMarks, type ThoughtMark } from './thought-marks.ts';

/** Most ends that are followed one by one. After more of them, or among many marks, only the last end counts. */
const MOST_ENDS = 20;
const MOST_MARKS = 400;

/**
 * Returns the text behind the last end of a model's thoughts; null if the thoughts never end. Marks that are content of
 * a file do not count: marks in a SEARCH/REPLACE block, in quotes, or in a block under a path with their opening mark.
 */
export function stripThoughts(text: string, against: KnownFiles): string | null {
  let rest = text;
  for (let turn = 0; turn < MOST_ENDS; turn += 1) {
    const marks = findMarks(rest);
    if (marks.length === 0) return rest;
    if (marks.length > MOST_MARKS && turn > 0) break;
    const next = endOfThoughts(rest, marks, answerContentOf(rest, against));
    if (next === null) return rest;
    if (next === 'never') return null;
    rest = rest.slice(next);
  }
  const last = findMarks(rest).findLast(({ kind, soft }) => kind === 'end' && !soft);
  return last ? rest.slice(last.to) : rest;
}

/** Position at which the answer continues behind the first thoughts of a text; null if the text holds no thoughts. */
function endOfThoughts(text: string, marks: readonly ThoughtMark[], content: AnswerContent): number | 'never' | null {
  let inside: ThoughtMark | null = null;
  for (const mark of marks) {
    if (content.holds(mark)) continue;
    if (mark.kind === 'open') {
      if (inside === null && begins(text, mark)) inside = mark;
    } else if (mark.heading) {
      if (inside !== null && content.editsBefore(mark.from) && content.editsBehind(mark.to)) return mark.to;
    } else if (inside?.soft && content.editsBefore(inside.from) && !content.editsBehind(inside.from)) {
      // The mark only opens reasons that follow the edits.
      inside = null;
    } else if (inside !== null || !mark.soft || (startsLine(text, mark) && content.editsBehind(mark.to))) {
      return mark.to;
    }
  }
  if (inside === null) return null;
  // Thoughts may hold an unfinished block, so that all text behind it looks like content of a file.
  const last = marks.findLast(
    ({ kind, heading, from }) => kind === 'end' && !heading && from > inside.from && !content.isQuoted(from),
  );
  if (last && content.editsBehind(last.to)) return last.to;
  return !inside.soft || (opensText(text, inside) && content.editsBehind(inside.to)) ? 'never' : null;
}

/** True if a mark is a tag before all other text: then it is a mark even if its word is an ordinary one. */
const opensText = (text: string, { from }: ThoughtMark): boolean =>
  text.slice(0, from).trim() === '' && /^(?:[<[{&]|thinking\.)/i.test(text.slice(from, from + 10));

/** True if a mark can open thoughts: at the beginning or the end of a line; a special token anywhere. */
function begins(text: string, mark: ThoughtMark): boolean {
  if (text.startsWith('<|', mark.from) || startsLine(text, mark)) return true;
  const endsLine = /^[ \t]*(?:[\r\n]|$)/.test(text.slice(mark.to, mark.to + 40));
  return endsLine && !/[\w"'`]/.test(text.charAt(mark.from - 1)) && !isLabelled(lineTo(text, mark.from));
}

const startsLine = (text: string, { from }: ThoughtMark): boolean =>
  /^[\s>*_#]*$|[>\]][ \t]*$/.test(lineTo(text, from));

/** Text of a line up to a character, the last 200 characters of it. */
const lineTo = (text: string, at: number): string => /[^\n\r]*$/.exec(text.slice(Math.max(0, at - 200), at))?.[0] ?? '';
