import { NO_BEGINNINGS, type AttentionFacts } from '../../../view/attention/facts.ts';

const none = { spent: 0, limit: null };

/** Facts of a research that needs nobody. */
export const CALM: AttentionFacts = {
  id: 'toy',
  task: 'toy',
  phase: 'running',
  reason: null,
  endpointDown: null,
  losingStreak: null,
  failedBaseline: null,
  contention: null,
  budget: {
    trials: none,
    proposals: none,
    hours: none,
    hoursWithoutClaim: none,
    slotSeconds: none,
    tokens: none,
    usd: none,
    whenSpent: 'wait',
  },
  queue: null,
  wait: null,
  learning: null,
  untrustedBest: null,
  gatesFired: [],
  fleetHosts: [],
  since: NO_BEGINNINGS,
};
