import { promptLine, stripControls, truncate } from '../../prompt/strip-controls.ts';
import type { ContextPart } from '../context.ts';
import { ownsPath } from './specialist.ts';

/** The files that a specialist owns, the work that it leaves to others, and its preamble. */
export const specialistPart: ContextPart = {
  name: 'specialist',
  cuts: 'the end of the preamble',
  tokens: 2500,
  applies: ({ specialist }) => specialist !== undefined,
  render: ({ specialist, files }, room) => {
    if (specialist === undefined) return '';
    const { name, owns, leaves, preamble } = specialist;
    const lines = ['## Your part', '', `You are "${name}", one of several proposers of this search.`];
    if (owns !== undefined) {
      const own = Object.keys(files).filter((path) => ownsPath(specialist, path));
      const named = own.length > 0 ? own : owns;
      lines.push(
        `You own these files: ${named.map((path) => promptLine(path, 200)).join(', ')}.`,
        'A change of any other file is rejected, and its trial is lost.',
      );
    }
    if (leaves !== undefined) lines.push(`You leave to others: ${promptLine(leaves, 2000)}`);
    if (preamble !== undefined) lines.push('', stripControls(preamble).trimEnd());
    return `${truncate(lines.join('\n'), Math.max(0, room - 1), 'head')}\n`;
  },
};
