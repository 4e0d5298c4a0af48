import { NO_SETTINGS } from '../axis.ts';
import type { Proposer } from '../proposer.ts';
import { turnKnob } from './turn-knob.ts';

/** One knob of the parent, turned at random; more than one where all those changes are known. */
export const random = {
  settings: NO_SETTINGS,
  needs: ['knobs'],
  writes: 'knobs',
  readsPrompt: false,
  runs: 'at-once',
  draw: (input) => turnKnob(input),
} satisfies Proposer;
