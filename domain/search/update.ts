import type { z } from 'zod';
import type { UpdatePlan } from '../learning/plan.ts';
import type { Method } from '../method/axis.ts';

/** A method by which a proposer learns from outcomes. */
export interface UpdateMethod<Settings = never> extends Method {
  /** The plan of its updates; null: the proposer does not learn. */
  plan: (this: void, settings: Settings) => UpdatePlan | null;
}

/** Infers the type of a method's settings from their schema. */
export const defineLearningUpdate = <S extends z.ZodObject>(
  method: UpdateMethod<z.output<S>> & { settings: S },
): UpdateMethod<z.output<S>> & { settings: S } => method;
