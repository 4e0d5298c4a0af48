import { type Problem, describeValue } from '../issue/problem.ts';

const EXACT = new Set([
  'DATABASE_URL',
  'OPENAI_API_KEY',
  'OPENAI_BASE_URL',
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_BASE_URL',
  'GEMINI_API_KEY',
  'GOOGLE_GEMINI_BASE_URL',
  'CUDA_VISIBLE_DEVICES',
  'PGPASSWORD',
  'PGPASSFILE',
  'LD_PRELOAD',
  'SSH_AUTH_SOCK',
]);
const PREFIXES = ['TEMPORAL_', 'PERPETUA_', 'OPENAI_', 'OTEL_'];

/**
 * True for an environment variable of the platform: its secrets, its addresses, and variables that it sets for runs.
 */
export function isPlatformVariable(name: string): boolean {
  const upper = name.toUpperCase();
  return EXACT.has(upper) || PREFIXES.some((prefix) => upper.startsWith(prefix));
}

const WHY: Record<string, string> = {
  CUDA_VISIBLE_DEVICES: "Perpetua sets it to the GPUs of the run's slot (select them with `gpus` of the host)",
  LD_PRELOAD: 'it would be loaded into the supervisor of the run',
};

/** The problem of a platform variable in the environment of runs. */
export const platformVariableProblem = (name: string, path: Problem['path']): Problem => ({
  path,
  expected: 'a name that Perpetua does not reserve',
  got: describeValue(name),
  todo: `${WHY[name.toUpperCase()] ?? 'Perpetua sets it itself, or keeps it from runs'}; remove it`,
});

/** Problems of all platform variables that an environment sets. */
export const platformVariableProblems = (env: Record<string, string>, path: Problem['path']): Problem[] =>
  Object.keys(env)
    .filter(isPlatformVariable)
    .map((name) => platformVariableProblem(name, [...path, name]));
