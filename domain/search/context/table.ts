import { z } from 'zod';
import { type Chosen, methodOf, NO_SETTINGS, asSettings } from '../../method/axis.ts';
import { type ContextReads, type ContextRule, defineContext, NO_READS } from '../context.ts';
import { best } from './best.ts';
import { contract } from './contract.ts';
import { files } from './files/files.ts';
import { inspirations } from './lineage/inspirations.ts';
import { lineage } from './lineage/lineage.ts';
import { stalls } from './lineage/stalls.ts';
import { notes } from './notes.ts';
import { otherFiles } from './files/other-files.ts';
import { readOnly } from './files/read-only.ts';
import { standing } from './standing.ts';
import { feedback } from './written/feedback.ts';
import { memory } from './written/memory.ts';
import { task } from './task.ts';
import { terms } from './terms.ts';
import { trials } from './trials.ts';
import { underWay } from './under-way.ts';

/** Parts that rarely change in a research come first: endpoints charge less for a cached beginning of a prompt. */
const ALWAYS = [task, contract, readOnly, otherFiles] as const;
const NOW = [standing, notes, files] as const;

const history = z.strictObject({
  best: z.number().int().min(0).max(50).default(5).describe('best outcomes shown beside the last ones'),
  lineage: z
    .number()
    .int()
    .min(0)
    .max(50)
    .default(0)
    .describe('rows of a leaderboard, with the ancestors of the files and the ideas of the last trials by outcome'),
  inspirations: z
    .number()
    .int()
    .min(0)
    .max(10)
    .default(0)
    .describe('good candidates far from the parent in the tree, or of other islands or cells, as diffs'),
  stuck: z
    .number()
    .int()
    .min(0)
    .max(1000)
    .default(20)
    .describe('trials without a new best after which the prompt asks for another direction; 0: never'),
  saturation: z
    .number()
    .int()
    .min(0)
    .max(50)
    .default(5)
    .describe('last trials from the parent: if none was better, the prompt states it; 0: never'),
  memory: z
    .boolean()
    .default(false)
    .describe('a text of at most 16 KiB that the answers of `llm` may replace (docs/guides/models/prompts.md)'),
});

/** Every context. A new part needs a file and an entry in a list here. */
export const CONTEXTS = {
  none: defineContext({ settings: NO_SETTINGS, parts: [...ALWAYS, ...NOW], readsTrials: false }),
  history: defineContext({
    settings: history,
    parts: [...ALWAYS, terms, memory, ...NOW, feedback, inspirations, lineage, best, trials, underWay, stalls],
    readsTrials: true,
    reads: (settings) => settings,
  }),
} as const satisfies Record<string, ContextRule>;

/** Looks up a stored context. Throws UnknownMethod for a context that this build does not have. */
export const contextOf = (stored: unknown): Chosen<typeof CONTEXTS> => methodOf('search.context', CONTEXTS, stored);

/** Facts besides the last outcomes that a stored context shows. */
export function readsOf(stored: unknown): ContextReads {
  const { method, settings } = contextOf(stored);
  const { reads = () => NO_READS }: ContextRule = method;
  return reads(asSettings(settings));
}
