import type { PartSize } from '../../../domain/search/context/build-messages.ts';
import { formatCount } from '../../../domain/text/format.ts';
import { columns } from '../text/text.ts';

/** The parts of a prompt with their tokens, and what each could have used. */
export function renderPromptSizes(sizes: readonly PartSize[]): string[] {
  const rows = sizes.map(({ part, tokens, budget }) => [
    part,
    `${formatCount(tokens)}${budget === null ? '' : ` of ${formatCount(budget)}`}`,
  ]);
  const all = sizes.reduce((sum, { tokens }) => sum + tokens, 0);
  return ['--- tokens of its parts (characters / 4)', ...columns([...rows, ['all', formatCount(all)]])];
}
