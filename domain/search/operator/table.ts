import { drawByWeight } from '../../statistics/draw-by-weight.ts';
import type { Random } from '../../statistics/random.ts';
import { UnknownMethod } from '../../method/unknown-method.ts';
import type { Operator } from './operator.ts';
import { crossover } from './crossover.ts';
import { fixTheCrash } from './fix-the-crash.ts';
import { knobsOnly } from './knobs-only.ts';
import { rewrite } from './rewrite.ts';
import { simplify } from './simplify.ts';
import { tweak } from './tweak.ts';

/** Every operator. A new one needs a file and a line here. */
export const OPERATORS = {
  tweak,
  rewrite,
  crossover,
  'fix-the-crash': fixTheCrash,
  simplify,
  'knobs-only': knobsOnly,
} as const satisfies Record<string, Operator>;

export type OperatorName = keyof typeof OPERATORS;
export const OPERATOR_NAMES = Object.keys(OPERATORS) as [OperatorName, ...OperatorName[]];

/** The operator in place of one that has nothing to start from, such as a second parent. */
export const INSTEAD: OperatorName = 'tweak';

/** Weights of operators; one without a weight is not drawn. */
export type OperatorWeights = Readonly<Partial<Record<OperatorName, number>>>;

/** Draws an operator by weight, in the order of the table. */
export function drawOperator(weights: OperatorWeights, random: Random): OperatorName {
  const names = OPERATOR_NAMES.filter((name) => weights[name] !== undefined);
  const drawn =
    names[
      drawByWeight(
        names.map((name) => weights[name] ?? 0),
        random,
      )
    ];
  if (drawn === undefined) throw new Error('Expected the weight of at least one operator, got none');
  return drawn;
}

/** Looks up a stored operator. Throws UnknownMethod for one that this build does not have. */
export function operatorOf(stored: string): { name: OperatorName; operator: Operator } {
  if (!Object.hasOwn(OPERATORS, stored)) throw new UnknownMethod('an operator', stored, OPERATOR_NAMES);
  const name = stored as OperatorName;
  return { name, operator: OPERATORS[name] };
}
