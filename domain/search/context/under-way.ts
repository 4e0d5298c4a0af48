import { truncate, promptLine, stripControls } from '../../prompt/strip-controls.ts';
import { fenced } from '../../prompt/fenced.ts';
import type { UnderWay } from '../../prompt/prompt-input.ts';
import type { ContextPart } from '../context.ts';

const HEAD = '## Under way now\n\nProposed and not yet scored. Propose something else.\n\n';
const DIFF_CHARACTERS = 600;

/** Proposals that have no outcome yet, so that none is proposed twice; the newest where room is short. */
export const underWay: ContextPart = {
  tokens: 1000,
  extra: true,
  applies: ({ underWay = [] }) => underWay.length > 0,
  render: ({ underWay = [] }, room) => {
    let left = room - HEAD.length;
    const kept: string[] = [];
    for (const one of underWay.toSorted((a, b) => b.n - a.n)) {
      const text = `${oneText(one)}\n`;
      if (text.length > left) break;
      kept.unshift(text);
      left -= text.length;
    }
    return kept.length === 0 ? '' : HEAD + kept.join('');
  },
};

function oneText({ n, hypothesis, diff }: UnderWay): string {
  const idea = promptLine(hypothesis, 300);
  // The idea alone where it says enough.
  const shown =
    idea === ''
      ? fenced(truncate(stripControls(diff ?? ''), DIFF_CHARACTERS, 'head'), 'diff')
      : fenced(`idea: ${idea}`, 'said');
  return `- trial ${n}\n${shown}`;
}
