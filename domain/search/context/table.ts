import { z } from 'zod';
import { type Chosen, methodOf, NO_SETTINGS, asSettings } from '../../method/axis.ts';
import { type ContextRule, defineContext } from '../context.ts';
import { best } from './best.ts';
import { contract } from './contract.ts';
import { files } from './files/files.ts';
import { notes } from './notes.ts';
import { otherFiles } from './files/other-files.ts';
import { readOnly } from './files/read-only.ts';
import { standing } from './standing.ts';
import { task } from './task.ts';
import { terms } from './terms.ts';
import { trials } from './trials.ts';
import { underWay } from './under-way.ts';

/** Parts that rarely change in a research come first: endpoints charge less for a cached beginning of a prompt. */
const ALWAYS = [task, contract, readOnly, otherFiles] as const;
const NOW = [standing, notes, files] as const;

const history = z.strictObject({
  best: z.number().int().min(0).max(50).default(5).describe('best outcomes shown beside the last ones'),
});

/** Every context. A new part needs a file and an entry in a list here. */
export const CONTEXTS = {
  none: defineContext({ settings: NO_SETTINGS, parts: [...ALWAYS, ...NOW], readsTrials: false }),
  history: defineContext({
    settings: history,
    parts: [...ALWAYS, terms, ...NOW, best, trials, underWay],
    readsTrials: true,
    best: (settings) => settings.best,
  }),
} as const satisfies Record<string, ContextRule>;

/** Looks up a stored context. Throws UnknownMethod for a context that this build does not have. */
export const contextOf = (stored: unknown): Chosen<typeof CONTEXTS> => methodOf('search.context', CONTEXTS, stored);

/** Number of best outcomes that a stored context shows besides the last ones. */
export function bestShown(stored: unknown): number {
  const { method, settings } = contextOf(stored);
  const { best = () => 0 }: ContextRule = method;
  return best(asSettings(settings));
}
