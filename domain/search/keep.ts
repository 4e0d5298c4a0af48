/** Facts about a keep policy, on which the decisions of domain/gate depend. */
export interface KeepPolicy {
  /** Runs of the unmodified candidate, if the task sets no number. */
  baselineRuns: number;
  /** Fewest baseline runs that the policy can work with; a task may not set fewer. */
  leastBaselineRuns: number;
  /** Fewest baseline runs that the policy performs, even if a task sets fewer. */
  leastAsked: number;
  /** True: the policy repeats runs by itself, so that a task may not set a fixed number of repeats. */
  repeatsByItself: boolean;
}

/** Every keep policy. */
export const KEEPS = {
  strict: { baselineRuns: 1, leastBaselineRuns: 1, leastAsked: 1, repeatsByItself: false },
  'noise-gated': { baselineRuns: 10, leastBaselineRuns: 2, leastAsked: 3, repeatsByItself: true },
} as const satisfies Record<string, KeepPolicy>;

export type KeepPolicyName = keyof typeof KEEPS;
export const KEEP_POLICIES = Object.keys(KEEPS) as [KeepPolicyName, ...KeepPolicyName[]];
/**
 * Keep settings of researches that only check a task: one run and no claim, or a few runs as a reference for attacks.
 */
export const KEEP_OF_CHECKS = {
  once: { policy: 'strict', baselineRuns: 1 },
  attack: { policy: 'noise-gated', baselineRuns: 3 },
} as const satisfies Record<string, { policy: KeepPolicyName; baselineRuns: number }>;
