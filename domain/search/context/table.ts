import { z } from 'zod';
import { type Chosen, methodOf, NO_SETTINGS, asSettings } from '../../method/axis.ts';
import { type ContextRule, defineContext } from '../context.ts';
import { best } from './best.ts';
import { contract } from './contract.ts';
import { files } from './files.ts';
import { notes } from './notes.ts';
import { readOnly } from './read-only.ts';
import { standing } from './standing.ts';
import { task } from './task.ts';
import { terms } from './terms.ts';
import { trials } from './trials.ts';
import { underWay } from './under-way.ts';

/** Parts that stay the same through a research stand first: endpoints charge less for a beginning that they know. */
const ALWAYS = [task, contract, readOnly] as const;
const NOW = [standing, notes, files] as const;

const history = z.strictObject({
  best: z.number().int().min(0).max(50).default(5).describe('best outcomes shown beside the last ones'),
});

/** Every context. A new part is its file and its place in a list here. */
export const CONTEXTS = {
  none: defineContext({ settings: NO_SETTINGS, parts: [...ALWAYS, ...NOW], readsTrials: false }),
  history: defineContext({
    settings: history,
    parts: [...ALWAYS, terms, ...NOW, best, trials, underWay],
    readsTrials: true,
    best: (settings) => settings.best,
  }),
} as const satisfies Record<string, ContextRule>;

/** A stored context; throws UnknownMethod for one that this build does not have. */
export const contextOf = (stored: unknown): Chosen<typeof CONTEXTS> => methodOf('search.context', CONTEXTS, stored);

/** How many of the best outcomes a stored context shows beside the last ones. */
export function bestShown(stored: unknown): number {
  const { method, settings } = contextOf(stored);
  const { best = () => 0 }: ContextRule = method;
  return best(asSettings(settings));
}
