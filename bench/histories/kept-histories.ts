import type { Contents } from './contents.ts';

/**
 * The workflow of a scenario whose history is kept: a run of the research's chain, by its place, or the first trial
 * with that command.
 */
export type KeptWorkflow = { run: number } | { trial: string };

/** The kept histories, by the name of their file. Each covers a path of its own; there are at most two dozen. */
export const KEPT_HISTORIES: Readonly<Record<string, readonly [scenario: string, workflow: KeptWorkflow]>> = {
  plain: ['plain', { run: 1 }],
  'plain-trial': ['plain', { trial: 'local propose' }],
  'fallen-back-trial': ['fallen-back', { trial: 'propose' }],
  'changed-task': ['changed-task', { run: 1 }],
  messages: ['messages', { run: 1 }],
  gathered: ['gathered', { run: 1 }],
  'asked-early': ['asked-early', { run: 1 }],
  quiet: ['quiet', { run: 1 }],
  'wait-ended': ['wait-ended', { run: 1 }],
  'continued-as-new': ['continued-as-new', { run: 1 }],
  'handed-over': ['handed-over', { run: 2 }],
  'handed-over-trial': ['handed-over', { trial: 'signal trialEnded' }],
  adopted: ['adopted', { run: 1 }],
  'adopted-trial': ['adopted', { trial: 'resume' }],
  stopped: ['stopped', { run: 1 }],
  'stopped-trial': ['stopped', { trial: 'abandon' }],
  'paused-while-stopping': ['paused-while-stopping', { run: 1 }],
  cancelled: ['cancelled', { run: 1 }],
  learnt: ['learnt', { run: 1 }],
  'moved-in-setup-trial': ['moved-in-setup', { trial: 'prepare' }],
  'refused-for-good-trial': ['refused-for-good', { trial: 'abandon' }],
  'lost-twice-trial': ['lost-twice', { trial: 'abandon' }],
  served: ['served', { run: 1 }],
  'launch-failed-trial': ['launch-failed', { trial: 'alert' }],
};

/** True if the contents are those of the kept trial. */
export const isKept = (kept: KeptWorkflow, { commands }: Contents): boolean =>
  'trial' in kept && commands.includes(kept.trial);
