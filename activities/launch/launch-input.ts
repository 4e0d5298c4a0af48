export interface LaunchInput {
  trialId: string;
  placement: number;
}
