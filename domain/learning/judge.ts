import type { Gate } from './gate.ts';

/** A gate that was crossed. */
export interface Fired {
  gate: Gate;
  value: number;
  words: string;
}
