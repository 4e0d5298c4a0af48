import type { ProposerChoice } from '../../domain/search/mixture/arm.ts';
import type { ParentChoice } from './parent.ts';
import type { Sampler } from './optuna/study.ts';

export interface Arm {
  name: string;
  colour: string;
  /** `even`: even draws. `product`: the product's proposers, one after the other. `optuna`: a sampler of Optuna. */
  by:
    | { kind: 'even' }
    | { kind: 'product'; proposers: readonly ProposerChoice[]; parent: ParentChoice }
    | { kind: 'optuna'; sampler: Sampler };
  /** True: has no choices, so that the arm is left out of problems with one. */
  numbersOnly?: true;
}

const product = (...proposers: ProposerChoice[]): Arm['by'] => ({ kind: 'product', proposers, parent: 'lead' });

export const ARMS: readonly Arm[] = [
  { name: 'uniform', colour: '#888', by: { kind: 'even' } },
  { name: 'random', colour: '#b8860b', by: product('random') },
  { name: 'puct', colour: '#16a085', by: { kind: 'product', proposers: ['random'], parent: 'puct' } },
  { name: 'tpe', colour: '#2c6fbb', by: product('tpe') },
  { name: 'mix', colour: '#2e8b57', by: product('tpe', 'tpe', 'tpe', 'random') },
  { name: 'Optuna TPE', colour: '#c0392b', by: { kind: 'optuna', sampler: 'tpe' } },
  { name: 'Optuna CMA-ES', colour: '#8e44ad', by: { kind: 'optuna', sampler: 'cma-es' }, numbersOnly: true },
];
