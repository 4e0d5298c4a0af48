import { fenced } from '../../../prompt/fenced.ts';
import { stripControls, truncate } from '../../../prompt/strip-controls.ts';
import { MEMORY_PATH } from '../../../edit/answer/memory.ts';
import type { ContextPart } from '../../context.ts';

/** Room for the fence around the text. */
const FRAME = 60;

/** The memory that earlier answers left. */
export const memory: ContextPart = {
  name: 'memory',
  cuts: 'the end of the text',
  // 16 KiB, the largest memory.
  tokens: 4200,
  extra: true,
  applies: ({ memory }) => memory !== undefined && memory !== null,
  render: ({ memory }, room) => {
    if (!memory) return '';
    const by = memory.n === null ? 'copied from another research' : `as trial ${memory.n} left it`;
    const head = `## ${MEMORY_PATH}: your memory, ${by}\n\n`;
    const text = stripControls(memory.text);
    for (let most = room - head.length - FRAME; most > 0; most = Math.floor(most * 0.7)) {
      const part = `${head}${fenced(truncate(text, most, 'head'), 'said')}\n`;
      if (part.length <= room) return part;
    }
    return '';
  },
};
