import { truncate } from '../../prompt/strip-controls.ts';
import type { HistoryEntry, PromptInput } from '../../prompt/prompt-input.ts';
import type { ShownVerdict } from '../../trial.ts';
import type { ContextPart } from '../context.ts';

const HEAD = '## How results are told\n\n';

const VERDICTS: Record<Exclude<ShownVerdict, 'none'>, string> = {
  keep: 'beat the best confirmed before it in a comparison of several runs each, and took its place',
  confirm: 'looks better and is run again, since one run may be luck',
  absorbed: 'not shown to be better by itself, but the files that the search goes on from contain it',
  discard: 'not shown to be better than what it was compared with',
};

/** Definitions of the terms in the results that follow. Terms that do not occur are left out. */
export const terms: ContextPart = {
  name: 'terms',
  cuts: 'the last lines',
  tokens: 500,
  extra: true,
  applies: (input) => entriesOf(input).length > 0,
  render: (input, room) => {
    const text = linesOf(input)
      .map((line) => `- ${line}`)
      .join('\n');
    return `${HEAD}${truncate(text, room - HEAD.length - 1, 'head')}\n`;
  },
};

const entriesOf = ({ best = [], history }: PromptInput): HistoryEntry[] => [...best, ...history];

function linesOf(input: PromptInput): string[] {
  const entries = entriesOf(input);
  const { metric, secondary = [] } = input.task;
  const has = (matches: (entry: HistoryEntry) => boolean): boolean => entries.some(matches);
  const verdicts = Object.entries(VERDICTS).filter(([name]) => has(({ verdict }) => verdict === name));
  const others = secondary.filter(({ name }) => has(({ metrics = {} }) => Object.hasOwn(metrics, name)));
  const lines = [
    'trial: one proposal, applied to the files it was made from, run, and scored',
    ...verdicts.map(([name, definition]) => `verdict ${name}: ${definition}`),
  ];
  if (has(({ expectedDelta }) => typeof expectedDelta === 'number'))
    lines.push(
      `expected delta, came: the change of ${metric.name} against the files it was made from, ` +
        'as proposed and as measured',
    );
  if (has(({ status }) => status === 'aborted'))
    lines.push(
      'stopped early: ended before its budget, mostly since it looked worse than other runs at the same point',
    );
  if (others.length > 0) lines.push(`also measured, and not what counts: ${others.map(otherText).join(', ')}`);
  return lines;
}

const otherText = ({ name, direction }: { name: string; direction?: 'minimize' | 'maximize' | undefined }): string =>
  direction === undefined ? name : `${name} (${direction === 'minimize' ? 'lower' : 'higher'} is better)`;
