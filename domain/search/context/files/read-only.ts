import { stripControls } from '../../../prompt/strip-controls.ts';
import type { ContextPart } from '../../context.ts';
import { fileTexts } from './file-texts.ts';

const HEAD = '## Files to read, which cannot be changed\n\n';

/** Immutable files of the workspace that the task shows to the model. */
export const readOnly: ContextPart = {
  name: 'read-only files',
  cuts: 'the longest files, each from its end',
  tokens: 5000,
  inTree: true,
  applies: ({ readOnly = {} }) => Object.keys(readOnly).length > 0,
  render: ({ readOnly = {} }, room) => {
    const clean = Object.fromEntries(Object.entries(readOnly).map(([path, text]) => [path, stripControls(text)]));
    return (HEAD + fileTexts(clean, room + 1 - HEAD.length, 'too long to show whole')).replace(/\n$/, '');
  },
};
