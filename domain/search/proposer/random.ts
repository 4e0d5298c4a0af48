import { NO_SETTINGS } from '../../method/axis.ts';
import { defineProposer } from '../proposer.ts';
import { turnKnobs } from './turn-knobs.ts';

/** Changes some knobs of the parent at random: often one, sometimes all. */
export const random = defineProposer({
  settings: NO_SETTINGS,
  needs: ['knobs'],
  writes: 'knobs',
  readsPrompt: false,
  runs: 'at-once',
  draw: (input) => turnKnobs(input),
  onKnown: 'neighbours',
});
