import { z } from 'zod';
import { ColumnName, Ranges } from './candidates.ts';

const Better = z.enum(['minimize', 'maximize']);

/**
 * `GET research/:id/pareto`: candidates of the present task by two numbers, and those that no other one dominates.
 * `x`, `y`: names of columns, which the research must have. Default: the value, and the first secondary metric, else
 * another number. `xBetter`, `yBetter`: directions of numbers to which the task gives none; default: minimize.
 */
export const ParetoQuery = z.object({
  x: ColumnName.optional(),
  y: ColumnName.optional(),
  xBetter: Better.optional(),
  yBetter: Better.optional(),
  range: Ranges,
});

const Axis = z.object({
  name: z.string(),
  better: Better,
  /** True: the task gives the direction, and a reader cannot change it. */
  fromTask: z.boolean(),
});
export type Axis = z.infer<typeof Axis>;

const Place = z.object({ n: z.int(), x: z.number(), y: z.number() });

export const Pareto = z.object({
  /** Names of the numbers that can be an axis. */
  names: z.array(z.string()),
  x: Axis,
  y: Axis,
  /** The front by `x`, ascending; of more than 300 points, 300 evenly, with both ends. */
  front: z.array(Place.extend({ idea: z.string().nullable() })),
  /** Candidates in the front. */
  frontTotal: z.int(),
  /** The other candidates, thinned, by columns. */
  rest: z.object({ n: z.array(z.int()), x: z.array(z.number()), y: z.array(z.number()) }),
  /** The claimed candidate; null if it lacks a number or lies outside the ranges. */
  claim: Place.nullable(),
  /** Candidates in the ranges with both numbers, and those that lack one. */
  total: z.int(),
  without: z.int(),
});
export type Pareto = z.infer<typeof Pareto>;
