/** Names of everything that can be sent to a `research` workflow. */
export const SIGNALS = {
  pause: 'pause',
  resume: 'resume',
  stop: 'stop',
  changeTask: 'changeTask',
  inject: 'inject',
  note: 'note',
  trialEnded: 'trialEnded',
} as const;
/** To a research from its own, that an update of its policy has ended. */
export const UPDATE_ENDED = 'updateEnded';
/** Under this name a research is handed thousands of signals as one. */
export const MANY_SIGNALS = 'many signals';
export const UPDATES = {
  changeTask: 'changeTask',
  setWindow: 'setWindow',
  setBudget: 'setBudget',
  overrideVerdict: 'overrideVerdict',
} as const;
export const QUERIES = { status: 'status', best: 'best' } as const;

/** `main` is where researches and short activities run; the others have bounds of their own. */
export const QUEUES = {
  main: 'perpetua',
  trial: 'perpetua-trial',
  propose: 'perpetua-propose',
  monitor: 'perpetua-monitor',
  score: 'perpetua-score',
  update: 'perpetua-update',
  fleet: (pool: string) => `fleet-${pool}`,
} as const;

export const WORKFLOWS = { research: 'research', trial: 'trial', job: 'job', update: 'update' } as const;
