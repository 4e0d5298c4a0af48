import type { HostRefusal } from '../deps.ts';

/**
 * `prepare`: the host lacks the task's setup; `running`: a supervisor is under way; `elsewhere`: the host failed, or
 * refused this task, and the trial has to be placed once more.
 */
export type LaunchResult = { state: 'prepare' | 'running' | 'elsewhere'; host: string; refusal?: HostRefusal };
/** `unleased`: the trial holds no slot and has to wait for one. */
export type StartResult = LaunchResult | { state: 'unleased' };
