import { fenced } from '../../../prompt/fenced.ts';
import type { Inspiration } from '../../../prompt/search-facts.ts';
import { promptLine, stripControls, truncate } from '../../../prompt/strip-controls.ts';
import type { ContextPart } from '../../context.ts';
import { ideaLine } from './idea-lines.ts';

const HEAD =
  '## Other good candidates\n\n' +
  'Each diff leads from the files above to that candidate. Combine what helped, or learn from it.\n\n';
/** Least characters of a diff that is worth showing. */
const LEAST_DIFF = 200;
/** Room for the fence and the line feeds around a diff. */
const FRAME = 40;

/** Good candidates that differ from the parent, as diffs from the files that the prompt shows. */
export const inspirations: ContextPart = {
  name: 'inspirations',
  cuts: 'the end of each diff, then the candidates that were chosen last',
  tokens: 4000,
  extra: true,
  applies: ({ inspirations = [] }) => inspirations.length > 0,
  render: ({ inspirations = [], task }, room) => {
    let free = room - HEAD.length;
    const kept: string[] = [];
    for (const [i, one] of inspirations.entries()) {
      const text = inspirationText(one, {
        metric: task.metric.name,
        room: Math.floor(free / (inspirations.length - i)),
      });
      if (text === '') break;
      kept.push(text);
      free -= text.length;
    }
    return kept.length === 0 ? '' : HEAD + kept.join('');
  },
};

function inspirationText(one: Inspiration, { metric, room }: { metric: string; room: number }): string {
  const place = one.niche === null ? '' : `niche: ${promptLine(one.niche, 100)}; `;
  const head = `${fenced(`${place}${ideaLine(one, metric)}`, 'said')}\n`;
  const diff = stripControls(one.diff);
  // A fence is longer than the longest run of backticks in its text.
  for (let most = room - head.length - FRAME; most >= LEAST_DIFF; most = Math.floor(most * 0.7)) {
    const text = `${head}${fenced(truncate(diff, most, 'head'), 'diff')}\n`;
    if (text.length <= room) return text;
  }
  return '';
}
