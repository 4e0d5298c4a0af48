import { z } from 'zod';
import { PROTOCOLS } from '../gateway/call.ts';

/** Limits of an agent's run for one proposal. */
export const AgentLimits = z.strictObject({
  /** Seconds of wall clock, with the time in which it waits for models. */
  seconds: z.number().positive(),
  /** Seconds of CPU over all its processes. */
  cpuSeconds: z.number().positive(),
  /** Seconds without output and without a call, while no call is under way, after which it counts as stalled. */
  stallSeconds: z.number().positive(),
  memoryMb: z.number().int().positive(),
  diskMb: z.number().int().positive(),
  outputMb: z.number().positive(),
  calls: z.number().int().positive(),
  tokens: z.number().int().positive().nullable(),
  usd: z.number().positive().nullable(),
});
export type AgentLimits = z.infer<typeof AgentLimits>;

/** A coding agent's run for the proposal of a trial, as its job stores it. */
export const AgentRun = z.strictObject({
  trialId: z.string(),
  /** Protocol in which the agent asks models. */
  protocol: z.enum(PROTOCOLS),
  model: z.string(),
  prompt: z.string(),
  /** Shell command of the agent. */
  command: z.string(),
  /** Shell command that continues the conversation of a killed agent; null: it begins anew. */
  resume: z.string().nullable(),
  /** Glob below the agent's home of the file with its conversation, which `resume` needs; null: it needs none. */
  transcript: z.string().nullable(),
  env: z.record(z.string(), z.string()),
  /** Files below the agent's home: path to text. */
  files: z.record(z.string(), z.string()),
  /** Folder of the installed agent; null for a program of the machine. */
  folder: z.string().nullable(),
  /** Further folders that the sandbox shows, read-only. */
  readable: z.array(z.string()),
  limits: AgentLimits,
});
export type AgentRun = z.infer<typeof AgentRun>;
