import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { dashboardFiles, readDashboardFile, writeDashboardFileOnce } from './files.ts';

/**
 * Path of the page (128 random bits), and token that lets a person in (256 random bits); both as hexadecimal digits.
 */
const Secret = z.strictObject({
  path: z.string().regex(/^[0-9a-f]{32}$/),
  token: z.string().regex(/^[0-9a-f]{64}$/),
});
export type Secret = z.infer<typeof Secret>;

/** Secret of a home; creates it if there is none. It stays until a person removes its file. */
export function ensureSecret(home: string): Secret {
  const found = readSecret(home);
  if (found) return found;
  const made: Secret = { path: randomBytes(16).toString('hex'), token: randomBytes(32).toString('hex') };
  const path = dashboardFiles(home).secret;
  if (writeDashboardFileOnce(home, path, `${JSON.stringify(made)}\n`)) return made;
  // Another process created it in between.
  const theirs = readSecret(home);
  if (theirs) return theirs;
  throw new Error(`Expected path and token in ${path}, found something else. Remove the file: Perpetua makes another.`);
}

/** Secret of a home; undefined if there is none. */
export const readSecret = (home: string): Secret | undefined =>
  Secret.safeParse(readDashboardFile(dashboardFiles(home).secret)).data;

/** URL that lets a person with the secret in. */
export const enterUrl = (origin: string, { path, token }: Secret): string => `${origin}/${path}/enter/${token}`;
