import type { FeedbackCase } from '../../../metric/feedback.ts';
import { decodeNumber } from '../../../json/number.ts';
import { fenced } from '../../../prompt/fenced.ts';
import type { ShownFeedback } from '../../../prompt/search-facts.ts';
import { promptLine } from '../../../prompt/strip-controls.ts';
import { numberText } from '../../../text/format.ts';
import type { ContextPart } from '../../context.ts';

const HEAD = '## What the evaluator says case by case\n\n';
/** Characters of a case's text, from the longest form to the shortest. */
const TEXT_CHARACTERS = [600, 200, 60, 0] as const;
/** Cases of a trial that the shortest form shows. */
const LEAST_CASES = 5;

/** Cases of the evaluator: of the files that the prompt shows, then of the last trials. */
export const feedback: ContextPart = {
  name: 'feedback',
  cuts: 'the oldest trials, then the end of each text, then the last cases',
  tokens: 2000,
  extra: true,
  applies: ({ feedback = [] }) => feedback.length > 0,
  render: ({ feedback = [] }, room) => {
    const ordered = feedback.toSorted((a, b) => Number(b.isParent) - Number(a.isParent) || b.n - a.n);
    for (let count = ordered.length; count > 0; count -= 1) {
      // Only the first trial, mostly that of the parent, is shortened: the others are left out before.
      const forms = count === 1 ? TEXT_CHARACTERS : TEXT_CHARACTERS.slice(0, 1);
      for (const most of forms) {
        const text =
          HEAD +
          ordered
            .slice(0, count)
            .map((one) => trialText(one, most))
            .join('');
        if (text.length <= room) return text;
      }
    }
    const [first] = ordered;
    if (first === undefined) return '';
    for (let count = first.cases.length; count >= LEAST_CASES; count = Math.floor(count * 0.7)) {
      const omitted = first.omitted + first.cases.length - count;
      const text = HEAD + trialText({ ...first, cases: first.cases.slice(0, count), omitted }, 0);
      if (text.length <= room) return text;
    }
    return '';
  },
};

function trialText({ n, isParent, cases, omitted }: ShownFeedback, most: number): string {
  const lines = cases.map((one) => caseLine(one, most));
  if (omitted > 0) lines.push(`(… ${omitted} more)`);
  return `- trial ${n}${isParent ? ', which ran the files above' : ''}\n${fenced(lines.join('\n'), 'said')}\n`;
}

function caseLine({ name, value, text }: FeedbackCase, most: number): string {
  const words = most === 0 ? '' : promptLine(text, most);
  return `${promptLine(name, 100)}: ${numberText(decodeNumber(value))}${words === '' ? '' : ` · ${words}`}`;
}
