import type { ContextPart } from '../context.ts';
import { entryText } from './entry.ts';

const HEAD =
  '## The best so far\n\nBest first, by the mean of their runs. Of many values from one run the best were also lucky.\n\n';

/** The best trials, best first, each with what it changed. Where room is short the worst of them are left out. */
export const best: ContextPart = {
  tokens: 3000,
  extra: true,
  applies: ({ best = [] }) => best.length > 0,
  render: ({ best = [], task }, room) => {
    let left = room - HEAD.length;
    const kept: string[] = [];
    for (const entry of best) {
      const full = `${entryText(entry, task, true)}\n`;
      const text = full.length <= left ? full : `${entryText(entry, task, false)}\n`;
      if (text.length > left) break;
      kept.push(text);
      left -= text.length;
    }
    return kept.length === 0 ? '' : HEAD + kept.join('');
  },
};
