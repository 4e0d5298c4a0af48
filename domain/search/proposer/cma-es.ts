import { z } from 'zod';
import { defineProposer } from '../proposer.ts';

const CmaEsSettings = z.strictObject({
  population: z
    .number()
    .int()
    .min(2)
    .max(1000)
    .exactOptional()
    .describe('candidates of a generation; default: 4 + ⌊3 ln(knobs)⌋'),
});

export type CmaEsSettings = z.output<typeof CmaEsSettings>;

/** Candidates of a generation. Default: Hansen, The CMA evolution strategy: a tutorial (arXiv 1604.00772), table 1. */
export const populationOf = ({ population }: CmaEsSettings, knobs: number): number =>
  population ?? 4 + Math.floor(3 * Math.log(Math.max(1, knobs)));

/** Draws all knobs by CMA-ES, in the process of Optuna. */
export const cmaEs = defineProposer({
  settings: CmaEsSettings,
  needs: ['knobs', 'optimizer'],
  writes: 'knobs',
  numbersOnly: true,
  readsPrompt: false,
  runs: 'queued',
  runsOut: true,
});
