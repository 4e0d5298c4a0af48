export interface LaunchInput {
  jobId: string;
  placement: number;
  /** Times that the task's setup was done for the trial under its lease; default: 0. */
  setups?: number;
}
