import { z } from 'zod';

export const AGAINST = ['parent', 'baseline', 'best'] as const;

/** `GET trial/:id/diff?against=…`. `other`: id of a trial to compare with; it overrides `against`. */
export const DiffQuery = z.object({
  against: z.enum(AGAINST).default('parent'),
  other: z.string().max(400).optional(),
});

/** The hunks of one file, by the same function as `perpetua diff`. A file that is not text has the kind `binary`. */
export const FileDiff = z.object({
  path: z.string(),
  kind: z.enum(['changed', 'added', 'removed', 'binary']),
  added: z.int(),
  removed: z.int(),
  hunks: z.array(
    z.object({
      oldStart: z.int(),
      newStart: z.int(),
      /** Lines, each after its marker: ' ', '+' or '-'. */
      lines: z.array(z.string()),
    }),
  ),
});
export type FileDiff = z.infer<typeof FileDiff>;

export const Diff = z.object({
  /** The candidate compared with, in words. */
  against: z.string(),
  /** The reason for an empty diff, in words; null if there is a diff. */
  nothing: z.string().nullable(),
  files: z.array(FileDiff),
  /** True if lines were left out or cut: a diff shows at most 5,000 lines. */
  cut: z.boolean(),
});
export type Diff = z.infer<typeof Diff>;
