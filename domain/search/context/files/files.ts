import type { ContextPart } from '../../context.ts';
import { fileTexts } from './file-texts.ts';

const HEAD = '## The files you may change\n\n';
const CUT = 'too long to show whole: change only what you see, with SEARCH/REPLACE';

/** The parent's mutable files, unchanged: an edit must copy their lines exactly. */
export const files: ContextPart = {
  name: 'files',
  cuts: 'the longest files, each from its end',
  tokens: 15_000,
  inTree: true,
  applies: () => true,
  render: ({ files }, room) => (HEAD + fileTexts(files, room + 1 - HEAD.length, CUT)).replace(/\n$/, ''),
};
