export interface LaunchInput {
  trialId: string;
  placement: number;
  /** Times that the task's setup was done for it under its lease; a workflow of an older version does not say. */
  setups?: number;
}
