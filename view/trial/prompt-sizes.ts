import type { PartSize } from '../../domain/search/context/build-messages.ts';
import { formatCount } from '../../domain/text/format.ts';

/** Tokens of the parts of a prompt on one line. */
export const describePromptSizes = (sizes: readonly PartSize[]): string =>
  sizes.map(({ part, tokens }) => `${part} ${formatCount(tokens)}`).join(' · ');
