import type { Trainer } from '../../domain/learning/trainer.ts';

export interface PolicyOptions {
  /** Absolute path of PERPETUA_HOME. */
  home: string;
  packageRoot: string;
  /** The worker's environment; the server gets only the variables that computing needs. */
  env: Readonly<Record<string, string>>;
  trainer: Trainer;
}
