import type { TrainerSettings } from '../trainer/settings.ts';

export interface PolicyOptions {
  /** Absolute folder of all state. */
  home: string;
  packageRoot: string;
  /** The environment; little of it reaches the server. */
  env: Readonly<Record<string, string>>;
  trainer: TrainerSettings;
}
