import { plural } from '../text/plural.ts';
import { oneLine } from '../text/sanitize.ts';
import type { DeliveryKind, Message, Notice } from './message.ts';

/** Most characters of one line of a notice: texts of candidates are cut. */
export const LONGEST_LINE = 300;
/** Most lines of a notice. */
export const MOST_LINES = 20;

const HOUR = 3_600_000;

interface Delivery {
  id: string;
  kind: DeliveryKind;
  sink: string;
  /** Its messages, the oldest first. */
  messages: readonly Message[];
  now: Date;
}

/** A text as one line without control characters, and with at most {@link LONGEST_LINE} characters. */
export function shortLine(text: string): string {
  const line = oneLine(text);
  return line.length <= LONGEST_LINE ? line : `${line.slice(0, LONGEST_LINE - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Makes the notice of a delivery, which is the same at each attempt. */
export function noticeOf({ id, kind, sink, messages, now }: Delivery): Notice {
  const last = messages.at(-1);
  const base = {
    id,
    kind,
    sink,
    at: (last?.createdAt ?? now).toISOString(),
    researches: [...new Set(messages.flatMap(({ researchId, body }) => body.researches ?? researchId ?? []))],
  };
  if (kind === 'rest') return { ...base, ...restOf(messages, now) };
  const [only, ...others] = messages;
  if (only === undefined) return { ...base, title: 'nothing', lines: [], commands: [] };
  const titles = messages.map((message) => shortLine(titleOf(message)));
  const commands = messages.flatMap(({ body }) => body.commands).map(shortLine);
  if (others.length === 0)
    return { ...base, title: titles[0] ?? '', lines: cut(only.body.lines.map(shortLine)), commands };
  return { ...base, title: summaryOf(messages), lines: cut(titles), commands: cut(commands) };
}

const titleOf = ({ researchId, body: { title } }: Message): string =>
  researchId === null ? title : `${researchId}: ${title}`;

const cut = (lines: string[]): string[] =>
  lines.length <= MOST_LINES
    ? lines
    : [...lines.slice(0, MOST_LINES - 1), `… and ${lines.length - MOST_LINES + 1} more`];

const NOUNS = { claim: 'claim', 'claim-taken-back': 'claim taken back', end: 'end of a research' } as const;

function summaryOf(messages: readonly Message[]): string {
  const counts = Object.entries(NOUNS).flatMap(([kind, noun]) => {
    const count = messages.filter((message) => message.kind === kind).length;
    if (count === 0) return [];
    // "2 claims taken back", "2 ends of a research"
    const [word = '', ...rest] = noun.split(' ');
    return [[plural(count, word), ...rest].join(' ')];
  });
  return counts.join(', ');
}

function restOf(messages: readonly Message[], now: Date): Pick<Notice, 'title' | 'lines' | 'commands'> {
  const first = messages[0]?.createdAt ?? now;
  const hours = Math.max(1, Math.ceil((now.getTime() - first.getTime()) / HOUR));
  const period = hours === 1 ? 'the last hour' : `the last ${hours} hours`;
  const commands = [`npx perpetua report --since ${hours}h`];
  if (messages.some(({ kind }) => kind === 'needs-you')) commands.push('npx perpetua attention');
  return { title: `and ${messages.length} more in ${period}`, lines: [], commands };
}
