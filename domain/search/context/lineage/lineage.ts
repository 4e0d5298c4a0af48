import { fenced } from '../../../prompt/fenced.ts';
import type { IdeaGroup, IdeaOutcome, KnownIdea, Lineage } from '../../../prompt/search-facts.ts';
import { promptLine } from '../../../prompt/strip-controls.ts';
import type { ContextPart } from '../../context.ts';
import { plural } from '../../../text/plural.ts';
import { ideaLine } from './idea-lines.ts';

const HEAD = '## The lineage of the files\n\n';
/** Least ideas of each group, leaders and ancestors that are kept while the room is short. */
const LEAST = { ideas: 1, leaders: 3, path: 2 };
/** Characters of an idea in the table of ideas. */
const TABLE_CHARACTERS = 100;

const OUTCOMES: Record<IdeaOutcome, string> = {
  confirmed: 'beat the best confirmed version',
  better: 'better than the files they were made from, by more than one run varies',
  equal: 'about equal to the files they were made from',
  worse: 'worse than the files they were made from',
  unmeasured: 'scored, and not comparable with the files they were made from',
  stopped: 'stopped early',
  failed: 'failed',
};

/** The parent's ancestors, the best candidates, and the ideas of the last trials by outcome. */
export const lineage: ContextPart = {
  name: 'lineage',
  cuts: 'the oldest ideas of each outcome, then the last of the leaders, then the oldest ancestors',
  tokens: 2500,
  extra: true,
  applies: ({ lineage }) => lineage !== undefined,
  render: ({ lineage, task }, room) => {
    if (lineage === undefined) return '';
    const kept = { ideas: mostIdeas(lineage), leaders: lineage.leaders.length, path: lineage.path.length };
    for (;;) {
      const text = lineageText(lineage, { metric: task.metric.name, kept });
      if (text.length <= room) return text;
      const next = (['ideas', 'leaders', 'path'] as const).find((key) => kept[key] > LEAST[key]);
      if (next === undefined) return '';
      kept[next] = Math.max(LEAST[next], Math.floor(kept[next] / 2));
    }
  },
};

const mostIdeas = ({ groups }: Lineage): number => Math.max(0, ...groups.map(({ ideas }) => ideas.length));

type Kept = Record<keyof typeof LEAST, number>;

function lineageText(
  { path, isCut, leaders, groups }: Lineage,
  { metric, kept }: { metric: string; kept: Kept },
): string {
  const shownPath = path.slice(-kept.path);
  const sections = [treeText(shownPath, { metric, isCut: isCut || shownPath.length < path.length })];
  if (leaders.length > 0) sections.push(leadersText(leaders.slice(0, kept.leaders), metric));
  if (groups.length > 0) sections.push(groupsText(groups, kept.ideas));
  return `${HEAD}${sections.join('\n\n')}\n`;
}

/** A tree of one branch: each file set below the one that it was made from. */
function treeText(path: readonly KnownIdea[], { metric, isCut }: { metric: string; isCut: boolean }): string {
  const lines = path.map(
    (idea, depth) => `${depth === 0 ? '' : `${'  '.repeat(depth - 1)}└ `}${ideaLine(idea, metric)}`,
  );
  const cut = isCut ? '. Older ones are left out' : '';
  const head = `Each was made from the one above it; the last are the files that you get${cut}:`;
  return `${head}\n${fenced(lines.join('\n'), 'said')}`;
}

const leadersText = (leaders: readonly KnownIdea[], metric: string): string =>
  `The best candidates, best first:\n${fenced(
    leaders.map((idea, i) => `${i + 1}. ${ideaLine(idea, metric)}`).join('\n'),
    'said',
  )}`;

function groupsText(groups: readonly IdeaGroup[], most: number): string {
  const all = groups.reduce((sum, { trials }) => sum + trials, 0);
  const lines = groups.flatMap(({ outcome, trials, ideas }) => [
    `${OUTCOMES[outcome]}: ${plural(trials, 'trial')}`,
    ...ideas.slice(0, most).flatMap(({ n, hypothesis }) => {
      const idea = promptLine(hypothesis, TABLE_CHARACTERS);
      return idea === '' ? [] : [`  trial ${n}: ${idea}`];
    }),
  ]);
  return `What the last ${plural(all, 'trial')} tried, by outcome, newest first:\n${fenced(lines.join('\n'), 'said')}`;
}
