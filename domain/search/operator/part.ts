import { fenced } from '../../prompt/fenced.ts';
import type { AskedChange } from '../../prompt/prompt-input.ts';
import { promptLine, stripControls, truncate } from '../../prompt/strip-controls.ts';
import { numberText } from '../../text/format.ts';
import type { ContextPart } from '../context.ts';

/** Material of an operator beside the files: a second parent, or the log of a crash. */
export const operatorPart: ContextPart = {
  name: 'operator',
  cuts: 'the end of the diff, or the beginning of the log',
  tokens: 4000,
  applies: ({ asked }) => asked?.secondParent !== undefined || asked?.crash !== undefined,
  render: ({ asked, task }, room) => {
    if (asked?.secondParent !== undefined) return secondParentText(asked.secondParent, { task, room });
    return asked?.crash === undefined ? '' : crashText(asked.crash, room);
  },
};

/** Characters for the lines of a fence. */
const MARKS = 40;

function withBody(head: string, { body, info, room }: { body: string; info: string; room: number }): string {
  const free = room - head.length - MARKS;
  if (free <= 0) return '';
  const text = `${head}${fenced(truncate(stripControls(body), free, info === 'log' ? 'tail' : 'head'), info)}\n`;
  // Long runs of backticks in the body have longer marks.
  return text.length <= room ? text : '';
}

function secondParentText(
  { n, value, diff }: NonNullable<AskedChange['secondParent']>,
  { task, room }: { task: { metric: { name: string } }; room: number },
): string {
  const made = n === null ? 'Another candidate' : `The candidate of trial ${n}`;
  const scored = value === null ? '' : `, with ${promptLine(task.metric.name, 100)} ${numberText(value)}`;
  const head = `## The second parent\n\n${made}${scored}. Its differences from the files above:\n\n`;
  return withBody(head, { body: diff, info: 'diff', room });
}

function crashText({ n, failure, log }: NonNullable<AskedChange['crash']>, room: number): string {
  const message = fenced(promptLine(failure.message, 500), 'said');
  const head = `## The failure to fix\n\nThe files above are those of trial ${n}: ${failure.label}\n${message}\n`;
  if (log === null || log.trim() === '') return head.length <= room ? head : '';
  return withBody(`${head}\nThe end of its output:\n\n`, { body: log, info: 'log', room });
}
