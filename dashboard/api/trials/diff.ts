import { z } from 'zod';

export const AGAINST = ['parent', 'baseline', 'best'] as const;

/** `GET trial/:id/diff?against=…`; `other`: another trial's id in place of it. */
export const DiffQuery = z.object({
  against: z.enum(AGAINST).default('parent'),
  other: z.string().max(400).optional(),
});

/** The hunks of one file, by the same function as `perpetua diff`; `kind` of a file whose content is no text is `binary`. */
export const FileDiff = z.object({
  path: z.string(),
  kind: z.enum(['changed', 'added', 'removed', 'binary']),
  added: z.int(),
  removed: z.int(),
  hunks: z.array(
    z.object({
      oldStart: z.int(),
      newStart: z.int(),
      /** Each with its mark: ' ', '+' or '-'. */
      lines: z.array(z.string()),
    }),
  ),
});
export type FileDiff = z.infer<typeof FileDiff>;

export const Diff = z.object({
  against: z.string(),
  /** In words, where there is nothing to show. */
  nothing: z.string().nullable(),
  files: z.array(FileDiff),
  /** True where lines were left out: a diff shows 5,000 at most. */
  cut: z.boolean(),
});
export type Diff = z.infer<typeof Diff>;
