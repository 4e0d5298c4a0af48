import type { Refusal } from '../../domain/fault/refusal.ts';

/** A host's refusal of a task, with the number of hosts that may take the trial. */
export interface HostRefusal extends Refusal {
  /** Hosts of the pool that serve now. */
  hosts: number;
}

/**
 * `prepare`: the host lacks the task's setup; `running`: a supervisor is under way; `elsewhere`: the host failed, or
 * refused this task, and the trial has to be placed once more.
 */
export interface LaunchResult {
  state: 'prepare' | 'running' | 'elsewhere';
  host: string;
  refusal?: HostRefusal;
  /** Failure of the host, in words. */
  detail?: string;
}
/** `unleased`: the trial holds no slot and has to wait for one. */
export type StartResult = LaunchResult | { state: 'unleased' };
