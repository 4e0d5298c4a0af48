import { NO_SETTINGS } from '../../method/axis.ts';
import { defineProposer } from '../proposer.ts';

/** One request to a language model, repeated if the answer cannot be used; the task's `llm` has its settings. */
export const llm = defineProposer({
  settings: NO_SETTINGS,
  needs: ['model'],
  writes: 'code',
  readsPrompt: true,
  runs: 'queued',
});
