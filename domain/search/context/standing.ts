import { numberText } from '../../text/format.ts';
import type { MeasuredValue, PromptInput } from '../../prompt/prompt-input.ts';
import type { ContextPart } from '../context.ts';

/** The baseline, the incumbent, and where the files below come from. */
export const standing: ContextPart = {
  tokens: 500,
  applies: () => true,
  render: ({ parent, incumbent, baseline }) => {
    const lines = [
      ...(baseline ? [`- the original (the files as the task began): ${measuredText(baseline)}`] : []),
      ...(incumbent
        ? [`- the best confirmed so far (in a comparison of several runs): ${measuredText(incumbent)}`]
        : []),
      `- the files below: ${parentText(parent)}`,
    ];
    return `## Where the search stands\n\n${lines.join('\n')}\n`;
  },
};

function parentText(parent: PromptInput['parent']): string {
  if (parent === null) return 'the original';
  const from = parent.trialN === null ? 'the original' : `those of trial ${parent.trialN}`;
  return parent.value === null
    ? `${from}, not measured yet`
    : `${from}, estimated at ${numberText(parent.value)} from ${parent.n} run${parent.n === 1 ? '' : 's'}`;
}

const measuredText = ({ value, sd, n }: MeasuredValue): string =>
  `${numberText(value)} (mean of ${n} run${n === 1 ? '' : 's'}${sd === null ? '' : `, one run varies by ±${numberText(sd)}`})`;
