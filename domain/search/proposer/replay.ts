import { z } from 'zod';
import { defineProposer } from '../proposer.ts';

const ReplaySettings = z.strictObject({
  from: z
    .string()
    .min(1)
    .max(500)
    .exactOptional()
    .describe('the id of another research, or a `.json` or `.jsonl` file of the workspace that no proposal changes'),
  order: z
    .enum(['listed', 'best'])
    .default('listed')
    .describe('listed: as in the file, or as the research proposed them; best: a research by value, best first'),
  most: z.number().int().min(1).max(1_000_000).exactOptional().describe('candidates from the top; default: all'),
});

export type ReplaySettings = z.output<typeof ReplaySettings>;

/** True for the path of a list, false for the id of a research. */
export const isListFile = (from: string): boolean => /\.jsonl?$/.test(from);

/** Proposes the candidates of a list, each once, then ends the search. */
export const replay = defineProposer({
  settings: ReplaySettings,
  needs: [],
  // A list may hold files.
  writes: 'code',
  readsPrompt: false,
  runs: 'queued',
  runsOut: true,
});
