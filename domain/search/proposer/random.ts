import { NO_SETTINGS } from '../../method/axis.ts';
import { defineProposer } from '../proposer.ts';
import { turnKnobs } from './turn-knobs.ts';

/** Some knobs of the parent, turned at random: often one, at times all of them. */
export const random = defineProposer({
  settings: NO_SETTINGS,
  needs: ['knobs'],
  writes: 'knobs',
  readsPrompt: false,
  runs: 'at-once',
  draw: (input) => turnKnobs(input),
  onKnown: 'neighbours',
});
