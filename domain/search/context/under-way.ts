import { truncate, promptLine, stripControls } from '../../prompt/strip-controls.ts';
import { fenced } from '../../prompt/fenced.ts';
import type { UnderWay } from '../../prompt/prompt-input.ts';
import type { ContextPart } from '../context.ts';

const HEAD = '## Under way now\n\nProposed and not yet scored. Propose something else.\n\n';
const DIFF_CHARACTERS = 600;

/** Proposals without an outcome, so that the model does not repeat them. If the room is short, only the newest. */
export const underWay: ContextPart = {
  name: 'under way',
  cuts: 'the oldest of these proposals',
  tokens: 1000,
  extra: true,
  applies: ({ underWay = [] }) => underWay.length > 0,
  render: ({ underWay = [] }, room) => {
    let free = room - HEAD.length;
    const kept: string[] = [];
    for (const proposal of underWay.toSorted((a, b) => b.n - a.n)) {
      const text = `${proposalText(proposal)}\n`;
      if (text.length > free) break;
      kept.unshift(text);
      free -= text.length;
    }
    return kept.length === 0 ? '' : HEAD + kept.join('');
  },
};

function proposalText({ n, hypothesis, diff }: UnderWay): string {
  const idea = promptLine(hypothesis, 300);
  // The diff is shown only if there is no idea.
  const shown =
    idea === ''
      ? fenced(truncate(stripControls(diff ?? ''), DIFF_CHARACTERS, 'head'), 'diff')
      : fenced(`idea: ${idea}`, 'said');
  return `- trial ${n}\n${shown}`;
}
