import type { ContextPart } from '../context.ts';
import { entryText } from './entry.ts';

const HEAD =
  '## The best so far\n\n' +
  'Best first, by the mean of their runs. Of many values from one run the best were also lucky.\n\n';

/** The best trials, best first, each with its diff. If room is short, diffs go first, then the worst trials. */
export const best: ContextPart = {
  name: 'best',
  cuts: 'diffs, then the worst of these trials',
  tokens: 3000,
  extra: true,
  applies: ({ best = [] }) => best.length > 0,
  render: ({ best = [], task }, room) => {
    let free = room - HEAD.length;
    const kept: string[] = [];
    for (const entry of best) {
      const full = `${entryText(entry, task, true)}\n`;
      const text = full.length <= free ? full : `${entryText(entry, task, false)}\n`;
      if (text.length > free) break;
      kept.push(text);
      free -= text.length;
    }
    return kept.length === 0 ? '' : HEAD + kept.join('');
  },
};
