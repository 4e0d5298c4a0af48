import { numberText } from '../../text/format.ts';
import type { MeasuredValue, PromptInput } from '../../prompt/prompt-input.ts';
import type { ContextPart } from '../context.ts';

/** The baseline, the incumbent, and the origin of the files that follow in the prompt. */
export const standing: ContextPart = {
  name: 'standing',
  cuts: 'nothing, since it is short',
  tokens: 500,
  applies: () => true,
  render: ({ parent, incumbent, baseline }) => {
    const lines: string[] = [];
    if (baseline) lines.push(`- the original (the files as the task began): ${measuredText(baseline)}`);
    if (incumbent)
      lines.push(`- the best confirmed so far (in a comparison of several runs): ${measuredText(incumbent)}`);
    lines.push(`- the files: ${parentText(parent)}`);
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

function measuredText({ value, sd, n }: MeasuredValue): string {
  const spread = sd === null ? '' : `, one run varies by ±${numberText(sd)}`;
  return `${numberText(value)} (mean of ${n} run${n === 1 ? '' : 's'}${spread})`;
}
