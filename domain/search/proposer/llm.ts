import { NO_SETTINGS } from '../../method/axis.ts';
import { defineProposer } from '../proposer.ts';

/** A request to a language model, repeated if the answer cannot be used. Its settings are the task's `llm`. */
export const llm = defineProposer({
  settings: NO_SETTINGS,
  needs: ['model'],
  writes: 'code',
  readsPrompt: true,
  runs: 'queued',
});
