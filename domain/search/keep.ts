/** Facts about a keep policy; domain/gate decides by it. */
export interface KeepPolicy {
  /** Runs of the unmodified candidate unless the task says how many. */
  baselineRuns: number;
  /** Fewest of them that say what it needs to know: a task may not ask for fewer. */
  leastBaselineRuns: number;
  /** Fewest that it runs, however few a task asks for. */
  leastAsked: number;
  /** Runs again by itself what is worth it, so that a fixed number of repeats has no place beside it. */
  repeatsByItself: boolean;
}

/** Every keep policy. */
export const KEEPS = {
  strict: { baselineRuns: 1, leastBaselineRuns: 1, leastAsked: 1, repeatsByItself: false },
  'noise-gated': { baselineRuns: 10, leastBaselineRuns: 2, leastAsked: 3, repeatsByItself: true },
} as const satisfies Record<string, KeepPolicy>;

export type KeepPolicyName = keyof typeof KEEPS;
export const KEEP_POLICIES = Object.keys(KEEPS) as [KeepPolicyName, ...KeepPolicyName[]];
/** How a research decides that only checks a task: one run and no claim, or a few, from which an attack has to stand out. */
export const KEEP_OF_CHECKS = {
  once: { policy: 'strict', baselineRuns: 1 },
  attack: { policy: 'noise-gated', baselineRuns: 3 },
} as const satisfies Record<string, { policy: KeepPolicyName; baselineRuns: number }>;
