import { z } from 'zod';
import { globPattern } from '../../edit/scope/glob-pattern.ts';

/** A proposer that is responsible for a part of the program. */
export const Specialist = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9._-]{0,39}$/, 'lower-case letters, digits, dot, dash, underscore; at most 40')
    .describe('name of the specialist, unique in the mixture'),
  owns: z
    .array(z.string().min(1).max(200))
    .min(1)
    .max(50)
    .exactOptional()
    .describe('globs of the files that its proposals may change; default: all mutable files'),
  leaves: z.string().min(1).max(2000).exactOptional().describe('what it does not change, in words for its prompt'),
  preamble: z.string().min(1).max(8000).exactOptional().describe('what its prompt says of its part and its method'),
});

export type Specialist = z.output<typeof Specialist>;

/** True if a specialist may change a file. */
export const ownsPath = ({ owns }: Specialist, path: string): boolean =>
  owns === undefined || owns.some((glob) => globPattern(glob).test(path));

/** Paths of the files that differ between a parent and a candidate, sorted. */
const changedPaths = (before: Readonly<Record<string, string>>, after: Readonly<Record<string, string>>): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((path) => before[path] !== after[path]).sort();

/** Changed files that the specialist does not own, sorted. */
export const outsideOf = (
  specialist: Specialist,
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): string[] => changedPaths(before, after).filter((path) => !ownsPath(specialist, path));
