import type { ChildrenVerdict, Stalls } from '../../../prompt/search-facts.ts';
import type { ContextPart } from '../../context.ts';
import { plural } from '../../../text/plural.ts';

const HEAD = '## Where the search is stuck\n\n';

const CHILDREN: Record<ChildrenVerdict, string> = {
  worse: 'were all worse than these files: such changes harm, so undo what they have in common',
  equal: 'all came out equal to these files within the noise: small changes of this kind have no effect here',
  failed: 'all failed: make a change that runs first of all',
  'no better': 'were all equal to these files, worse, or failed',
};

/** Asks for another direction if the search, or the last trials from the same files, go in circles. */
export const stalls: ContextPart = {
  name: 'stalls',
  cuts: 'nothing, since it is short',
  tokens: 200,
  extra: true,
  applies: ({ stalls }) => stalls !== undefined && linesOf(stalls).length > 0,
  render: ({ stalls }, room) => {
    const lines = stalls === undefined ? [] : linesOf(stalls);
    const text = `${HEAD}${lines.map((line) => `- ${line}`).join('\n')}\n`;
    return text.length <= room ? text : '';
  },
};

function linesOf({ withoutBest, children }: Stalls): string[] {
  const lines: string[] = [];
  if (children !== null)
    lines.push(`the last ${plural(children.trials, 'trial')} from the files above ${CHILDREN[children.verdict]}`);
  if (withoutBest !== null) {
    const { trials, since } = withoutBest;
    const best = since === null ? 'none has beaten the original' : `none has beaten trial ${since}`;
    lines.push(
      `of the last ${plural(trials, 'trial')} ${best}. Propose something of another kind than the trials that you ` +
        'see: another method, another part of the program, or the opposite of what was tried',
    );
  }
  return lines;
}
