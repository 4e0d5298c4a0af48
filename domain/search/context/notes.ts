import { truncate, stripControls } from '../../prompt/strip-controls.ts';
import type { ContextPart } from '../context.ts';

const HEAD = '## Advice from the people in charge\n\n';

/** People's notes. */
export const notes: ContextPart = {
  name: 'notes',
  cuts: 'the oldest notes',
  tokens: 2000,
  applies: ({ notes }) => notes.length > 0,
  render: ({ notes }, room) => {
    const text = notes.map((note) => `- ${stripControls(note).trim()}`).join('\n');
    // The newest advice counts most, so the oldest is cut.
    return `${HEAD}${truncate(text, room - HEAD.length - 1, 'tail')}\n`;
  },
};
