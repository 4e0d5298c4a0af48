import { type Chosen, methodOf, NO_SETTINGS } from '../axis.ts';
import type { ContextRule } from '../context.ts';
import { files } from './files.ts';
import { notes } from './notes.ts';
import { standing } from './standing.ts';
import { task } from './task.ts';
import { trials } from './trials.ts';

/** Every context. A new part is its file and its place in a list here. */
export const CONTEXTS = {
  none: { settings: NO_SETTINGS, parts: [task, standing, notes, files], readsTrials: false },
  history: { settings: NO_SETTINGS, parts: [task, standing, notes, files, trials], readsTrials: true },
} as const satisfies Record<string, ContextRule>;

/** A stored context; throws UnknownMethod for one that this build does not have. */
export const contextOf = (stored: unknown): Chosen<typeof CONTEXTS> => methodOf('search.context', CONTEXTS, stored);
