import { z } from 'zod';

/**
 * The largest numbers of a task, where nothing else bounds them: far above what anybody needs, and small enough that the shell,
 * the kernel and a timer can hold what is made of them. A stored one that is larger is taken for these.
 */
export const FIELD_MAXIMA = {
  /** 30 days, of a run. */
  seconds: 2_592_000,
  /** 16 TiB, of memory or disk. */
  megabytes: 16_777_216,
  /** 16 GiB, of what a worker holds or the database stores: an output, the lines of an evaluation, an artefact. */
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
  /** Of one answer. */
  answerTokens: 10_000_000,
  steps: 1_000_000_000_000_000,
} as const;

export const seconds = z.number().positive().max(FIELD_MAXIMA.seconds);
/** Of a setup or an evaluation: workflows/timeouts.ts has room for it. */
export const LONGEST_STEP_SECONDS = 86_400;
export const relativePath = z.string().min(1);
export const environmentName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'an environment variable name');
/** A folder of the machine that runs a task; which ones are refused, and why, is in shown-folder.ts. */
export const hostFolder = z.string().min(1).max(1024);
/** The kernel takes no argument of a program above 128 KiB: no host could begin such a run. */
export const argument = z.string().max(30_000);
