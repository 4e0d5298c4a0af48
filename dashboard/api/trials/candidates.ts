import { z } from 'zod';
import { candidateNumberOf, candidateRangesOf } from '../../../view/page/candidate-columns.ts';
import { Kind, Measured, Status, Value, Verdict } from '../shared.ts';

/** Most candidates of a page. */
const MOST = 100;

/** Name of a number of a candidate. The route looks it up among the numbers of the research. */
export const ColumnName = z.string().max(310);

/** Ranges such as `value:1.2..1.5,metric.accuracy:..0.9`. */
export const Ranges = z
  .string()
  .max(2000)
  .default('')
  .transform((text, context) => {
    const ranges = candidateRangesOf(text);
    if (ranges !== null && ranges.length <= 10) return ranges;
    context.addIssue('expected at most ten ranges such as value:1.2..1.5,metric.accuracy:..0.9');
    return z.NEVER;
  });

/** Position after a row: by the value, by the first outcome, or by a column. */
type Cursor = { value: number; id: string } | { seq: number } | { value: number | null; n: number };

/**
 * `GET research/:id/candidates`: candidates of the present task with an outcome, one row each, in pages.
 * `sort`: `value`, `first` (by first outcome), `seconds`, or the name of a column, which the research must have.
 * `range`: such as `value:1.2..1.5,metric.accuracy:..0.9`. `columns`: numbers with commas between them, such as
 * `metric.accuracy`. `after`: the `next` of the page before.
 */
export const CandidatesQuery = z.object({
  sort: ColumnName.default('value'),
  order: z.enum(['asc', 'desc']).default('desc'),
  range: Ranges,
  columns: z
    .string()
    .max(4000)
    .default('')
    .transform((text, context) => {
      const columns = text === '' ? [] : text.split(',').map(candidateNumberOf);
      if (columns.length <= 12 && columns.every((column) => column !== null)) return columns;
      context.addIssue('expected at most twelve names such as metric.accuracy,knob.config.yaml:rate');
      return z.NEVER;
    }),
  after: z
    .string()
    .max(400)
    .optional()
    .transform((text, context): Cursor | null => {
      if (text === undefined) return null;
      const [kind, number = '', id = ''] = text.split('~');
      const position = Number(number);
      if (kind === 'v' && number !== '' && Number.isFinite(position) && id !== '') return { value: position, id };
      if (kind === 'o' && /^\d{1,9}$/.test(id) && Number.isFinite(position))
        return { value: number === '' ? null : position, n: Number(id) };
      if (kind === 's' && /^\d{1,9}$/.test(number)) return { seq: position };
      context.addIssue('expected the next of a page');
      return z.NEVER;
    }),
  limit: z.coerce.number().int().min(1).max(MOST).default(MOST),
});

export const CandidateRow = z.object({
  candidateId: z.string(),
  /** Number of the trial that proposed it, else of its first one. */
  n: z.int(),
  /** Mean of its scored runs; null without one. */
  measured: Measured.nullable(),
  verdict: Verdict,
  outcome: Status.nullable(),
  hypothesis: z.string().nullable(),
  proposer: z.string().nullable(),
  seconds: z.number(),
  usd: z.number(),
  /** Its trials, at most 100, by number. */
  trials: z.array(z.object({ n: z.int(), kind: Kind, status: Status.nullable(), value: Value })),
  /** The requested numbers, in their order. */
  numbers: z.array(Value),
});
export type CandidateRow = z.infer<typeof CandidateRow>;

export const Candidates = z.object({
  rows: z.array(CandidateRow),
  /** Position for the next page; null on the last one. */
  next: z.string().nullable(),
  /** Numbers that can be columns: of evaluators and runs, and knobs. */
  metrics: z.array(z.string()),
  knobs: z.array(z.string()),
  /** Candidates without regard to the ranges. */
  total: z.int(),
});
export type Candidates = z.infer<typeof Candidates>;
