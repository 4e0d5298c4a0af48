import { visible } from '../../domain/text/visible.ts';

/** Foreign text on one line with names for hidden characters, cut to `most` characters with an ellipsis. */
export function visibleLine(text: string, most = Infinity): string {
  const line = visible(text).replace(/\s+/g, ' ').trim();
  if (line.length <= most) return line;
  const characters = [...line];
  return characters.length <= most ? line : `${characters.slice(0, most - 1).join('')}…`;
}
