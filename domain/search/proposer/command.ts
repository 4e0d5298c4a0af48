import { z } from 'zod';
import { Agent } from '../../agent/recipe.ts';
import { defineProposer } from '../proposer.ts';

const CommandSettings = z.strictObject({
  agent: Agent.default('pi').describe('a coding agent: a name that `perpetua agents` lists, or a recipe'),
  model: z.string().min(1).max(200).exactOptional().describe('model that it asks; default: `llm.model`'),
  sessions: z
    .enum(['kept', 'fresh'])
    .default('kept')
    .describe('kept: an agent that was killed goes on with its conversation, if it can; fresh: it begins anew'),
  seconds: z.number().positive().max(86_400).default(1800).describe('limit of wall clock, in seconds'),
  cpuSeconds: z.number().positive().max(86_400).default(1800).describe('limit of CPU time, in seconds'),
  stallSeconds: z
    .number()
    .positive()
    .max(86_400)
    .default(600)
    .describe('seconds without output and without a call, while no call is under way, after which it is stopped'),
  memoryMb: z.number().int().min(64).default(4096).describe('limit of memory, in MiB'),
  diskMb: z.number().int().min(16).default(2048).describe('limit of disk space, in MiB'),
  outputMb: z.number().positive().max(256).default(16).describe('limit of output, in MiB'),
  calls: z.number().int().min(1).max(10_000).default(200).describe('limit of calls of models'),
  tokens: z.number().int().min(1).exactOptional().describe('limit of tokens of all calls; default: none'),
  usd: z.number().positive().exactOptional().describe('limit of USD of all calls; default: none'),
});

export type CommandSettings = z.output<typeof CommandSettings>;

/** The settings that name an agent and what it may spend. */
export type AskedAgent = Pick<CommandSettings, 'agent' | 'model' | 'usd'>;

/**
 * A coding agent of anybody that edits a work tree of the parent in a sandbox. The content of the mutable files when
 * the agent ends is the proposal.
 */
export const command = defineProposer({
  settings: CommandSettings,
  needs: [],
  writes: 'code',
  readsPrompt: true,
  runs: 'job',
});
