import { z } from 'zod';

export const seconds = z.number().positive();
/** Of a setup or an evaluation: workflows/timeouts.ts has room for it. */
export const LONGEST_SECONDS = 86_400;
export const relativePath = z.string().min(1);
export const environmentName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'an environment variable name');
/** The kernel takes no argument of a program above 128 KiB: no host could begin such a run. */
export const argument = z.string().max(30_000);
