import type { HistoryEntry, PromptInput } from '../../prompt/prompt-input.ts';
import { numberText } from '../../text/format.ts';
import type { ContextPart } from '../context.ts';
import { entryHead, entryText } from './entry.ts';
import { relativeName } from './facts.ts';

/** Outcomes of the last trials. */
export const trials: ContextPart = {
  name: 'trials',
  cuts: 'diffs of the oldest trials, then these trials',
  tokens: 4500,
  applies: ({ history }) => history.length > 0,
  render: (input, room) => historySection(input, room),
};

/** An idea: the first trial that proposed it, and the later ones that repeated it. */
interface Idea {
  first: HistoryEntry;
  again: HistoryEntry[];
}

/**
 * Groups trials by idea, oldest idea first. Trials with the same candidate or the same diff share an idea. A trial that
 * ran comes before its copies, whatever their numbers.
 */
export function mergeRepeats(history: readonly HistoryEntry[]): Idea[] {
  const ideas: Idea[] = [];
  const known = new Map<string, Idea>();
  const isCopy = ({ status }: HistoryEntry): number => (status === 'cached' ? 1 : 0);
  for (const entry of history.toSorted((a, b) => isCopy(a) - isCopy(b) || a.n - b.n)) {
    const keys = keysOf(entry);
    const same = keys.map((key) => known.get(key)).find((idea) => idea !== undefined);
    const idea = same ?? { first: entry, again: [] };
    if (same) same.again.push(entry);
    else ideas.push(idea);
    for (const key of keys) if (!known.has(key)) known.set(key, idea);
  }
  return ideas.toSorted((a, b) => a.first.n - b.first.n);
}

function keysOf({ candidateId, diff }: HistoryEntry): string[] {
  const keys: string[] = [];
  if (candidateId) keys.push(`candidate ${candidateId}`);
  if (diff) keys.push(`diff ${diff}`);
  return keys;
}

/**
 * The ended trials as text of at most `room` characters, oldest first. If the room is too short, the oldest are left
 * out.
 */
function historySection({ history, best = [], task }: PromptInput, room: number): string {
  const head = '## Trials so far\n\n';
  const note = '(… older trials left out)\n';
  const ideas = mergeRepeats(history);
  const above = new Set(best.map(({ n }) => n));
  const kept: string[] = [];
  let free = room - head.length - note.length;
  for (const idea of ideas.toReversed()) {
    const isAbove = above.has(idea.first.n);
    const full = `${ideaText(idea, task, { detailed: true, isAbove })}\n`;
    const text = full.length <= free ? full : `${ideaText(idea, task, { detailed: false, isAbove })}\n`;
    if (text.length > free) break;
    kept.unshift(text);
    free -= text.length;
  }
  if (kept.length === 0) return '';
  return head + (kept.length < ideas.length ? note : '') + kept.join('');
}

function ideaText(
  { first, again }: Idea,
  task: PromptInput['task'],
  { detailed, isAbove }: { detailed: boolean; isAbove: boolean },
): string {
  const text = isAbove ? `${entryHead(first, task)} (more above)` : entryText(first, task, detailed);
  return again.length === 0 ? text : `${text}\n  the same again: ${againText(again, task.metric.name)}`;
}

const MOST_AGAIN = 6;

/** The trials that repeated an idea, on one line: the newest MOST_AGAIN of them, and the number of the others. */
function againText(again: readonly HistoryEntry[], metric: string): string {
  const shown = again.slice(-MOST_AGAIN).map(({ n, parent, status, value }) => {
    if (status === 'cached') return `trial ${n} (not run again)`;
    const from = parent ? ` made from ${relativeName(parent)}` : '';
    return `trial ${n}${from} (${value === null ? status : `${metric} ${numberText(value)}`})`;
  });
  return (again.length > shown.length ? `${again.length - shown.length} more, ` : '') + shown.join(', ');
}
