import { formatAgo } from '../../../domain/text/format.ts';
import { oneLine } from '../../../domain/text/sanitize.ts';
import type { CalmState, DismissedAttention, NeedsYou } from '../../../view/attention/entry.ts';

/** Entries and states that `perpetua attention` lists. */
export interface ListedAttention extends NeedsYou {
  /** Entries that last, and that a person put away for everybody. */
  dismissed: DismissedAttention[];
}

/** `perpetua attention` for people: the entries with their keys, the states that ask for nothing, what was put away. */
export function renderAttention({ attention, states, dismissed }: ListedAttention, now: Date): string[] {
  const lines = attention.length === 0 ? ['nothing needs you'] : [];
  for (const entry of attention) {
    lines.push(oneLine(entry.key), `  ${describeEntry(entry, now)}`);
    if (entry.why !== null) lines.push(`  ${oneLine(entry.why)}`);
    for (const command of entry.commands) lines.push(`  ${oneLine(command)}`);
  }
  if (states.length > 0) lines.push('states, which ask for nothing');
  for (const state of states) {
    const why = state.why === null ? '' : `: ${oneLine(state.why)}`;
    lines.push(`  ${describeEntry(state, now)}${why}`);
  }
  if (dismissed.length > 0) lines.push('put away for everybody; --restore KEY shows one again');
  for (const entry of dismissed) {
    const away = `put away ${formatAgo(new Date(entry.dismissedAt), now)}`;
    lines.push(`  ${oneLine(entry.key)}`, `    ${describeEntry(entry, now)} · ${away}`);
  }
  return lines;
}

/** Title of an entry with its researches and its age: `The proposer gets no answer · a, b · began 3 h ago`. */
export function describeEntry(
  { title, researches, at }: Pick<CalmState, 'title' | 'researches' | 'at'>,
  now: Date,
): string {
  const parts = [oneLine(title)];
  if (researches.length > 0) parts.push(researches.map(oneLine).join(', '));
  if (at !== null) parts.push(`began ${formatAgo(new Date(at), now)}`);
  return parts.join(' · ');
}
