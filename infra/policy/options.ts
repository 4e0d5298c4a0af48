import type { Trainer } from '../../domain/learning/trainer.ts';

export interface PolicyOptions {
  /** Absolute folder of all state. */
  home: string;
  packageRoot: string;
  /** The environment; little of it reaches the server. */
  env: Readonly<Record<string, string>>;
  trainer: Trainer;
}
