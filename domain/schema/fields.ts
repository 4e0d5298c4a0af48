import { z } from 'zod';

/**
 * Upper bounds of a task's numbers that have no other bound. They are far above any need, and small enough for the
 * shell, the kernel and timers after unit conversion. A larger stored value counts as the bound.
 */
export const FIELD_MAXIMA = {
  /** 30 days, for a run. */
  seconds: 2_592_000,
  /** 16 TiB, for memory or disk. */
  megabytes: 16_777_216,
  /** 16 GiB, for data that a worker holds or the database stores: output, lines of an evaluation, an artefact. */
  heldMegabytes: 16_384,
  /** The kernel's own limit. */
  processes: 4_194_304,
  files: 100_000_000,
  trials: 1_000_000_000,
  /** 114 years. */
  hours: 1_000_000,
  slotSeconds: 10_000_000_000,
  tokens: 1_000_000_000_000_000,
  usd: 1_000_000_000,
  /** Tokens of one answer. */
  answerTokens: 10_000_000,
  steps: 1_000_000_000_000_000,
} as const;

export const seconds = z.number().positive().max(FIELD_MAXIMA.seconds);
/** Longest setup or evaluation, in seconds; the timeouts in workflows/timeouts.ts are longer. */
export const LONGEST_STEP_SECONDS = 86_400;
export const relativePath = z.string().min(1);
export const environmentName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'an environment variable name');
/** A folder of the machine that runs a task. domain/task/sandbox-folder-problem.ts rejects some, with a reason. */
export const hostFolder = z.string().min(1).max(1024);
/** An argument of a program. The kernel rejects arguments above 128 KiB, and no host could start such a run. */
export const argument = z.string().max(30_000);
