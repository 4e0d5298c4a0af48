import type { z } from 'zod';
import type { UpdatePlan } from '../learning/plan.ts';
import type { Method } from '../method/axis.ts';

/** How a proposer learns from outcomes. */
export interface UpdateMethod<Settings = never> extends Method {
  /** Null: it stays as it is. */
  plan: (this: void, settings: Settings) => UpdatePlan | null;
}

/** Infers the type of a method's settings from their schema. */
export const defineLearningUpdate = <S extends z.ZodObject>(
  method: UpdateMethod<z.output<S>> & { settings: S },
): UpdateMethod<z.output<S>> & { settings: S } => method;
