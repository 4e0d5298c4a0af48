import { formatSeconds } from '../text/format.ts';
import type { MessageBody } from './message.ts';

/** An entry of "needs you", as its messages need it. */
export interface AttentionEntry {
  /** Names this occurrence. */
  id: string;
  researches: readonly string[];
  title: string;
  why: string | null;
  commands: readonly string[];
  beganAt: Date;
}

/** A message about an entry of "needs you". */
export interface AttentionMessage {
  /** Id of the entry. */
  entry: string;
  researches: readonly string[];
  body: MessageBody;
}

/** The message about an entry that appeared. */
export function needsYou(entry: AttentionEntry): AttentionMessage {
  const { id, researches, why, commands } = entry;
  const lines = why === null ? [] : [why];
  if (researches.length > 1) lines.push(`Researches: ${namesOf(researches)}`);
  const body = { title: `needs you: ${entry.title}`, lines, commands: [...commands], ...severalOf(researches) };
  return { entry: id, researches, body };
}

/** The message that closes an entry: its cause is over. */
export function isOver(entry: AttentionEntry, now: Date): AttentionMessage {
  const { id, researches, beganAt } = entry;
  const seconds = (now.getTime() - beganAt.getTime()) / 1000;
  const period = formatSeconds(seconds < 60 ? seconds : Math.round(seconds / 60) * 60);
  const body = { title: `over after ${period}: ${entry.title}`, lines: [], commands: [], ...severalOf(researches) };
  return { entry: id, researches, body };
}

const severalOf = (researches: readonly string[]): Pick<MessageBody, 'researches'> =>
  researches.length > 1 ? { researches: [...researches] } : {};

const MOST_NAMES = 5;

const namesOf = (names: readonly string[]): string =>
  names.length <= MOST_NAMES
    ? names.join(', ')
    : `${names.slice(0, MOST_NAMES).join(', ')} and ${names.length - MOST_NAMES} more`;
