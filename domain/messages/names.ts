/** Names of the signals that a `research` workflow accepts. */
export const SIGNALS = {
  pause: 'pause',
  resume: 'resume',
  stop: 'stop',
  changeTask: 'changeTask',
  inject: 'inject',
  note: 'note',
  trialEnded: 'trialEnded',
} as const;
/** Signal to a research from its own child workflow: an update of its policy has ended. */
export const UPDATE_ENDED = 'updateEnded';
/** Name under which an interceptor passes thousands of signals to a research as one. */
export const MANY_SIGNALS = 'many signals';
export const UPDATES = {
  changeTask: 'changeTask',
  setWindow: 'setWindow',
  setBudget: 'setBudget',
  overrideVerdict: 'overrideVerdict',
  ablate: 'ablate',
  inject: 'inject',
} as const;
export const QUERIES = { status: 'status', best: 'best' } as const;

/** Task queues. `main` serves researches and short activities; each other queue has concurrency limits of its own. */
export const QUEUES = {
  main: 'perpetua',
  trial: 'perpetua-trial',
  propose: 'perpetua-propose',
  monitor: 'perpetua-monitor',
  score: 'perpetua-score',
  update: 'perpetua-update',
  fleet: (pool: string) => `fleet-${pool}`,
} as const;

export const WORKFLOWS = {
  research: 'research',
  trial: 'trial',
  job: 'job',
  update: 'update',
  installation: 'installation',
} as const;

/** Id of the one workflow of type `installation`; no research may have it. */
export const INSTALLATION_ID = 'perpetua-installation';
