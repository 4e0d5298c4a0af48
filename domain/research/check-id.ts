/** Prefixes of the ids of researches that a command starts for its own result. */
const PREFIXES = { check: 'check/', attack: 'attack/', eval: 'eval/' } as const;

/** The prefixes, for a condition of the database. */
export const CHECK_PREFIXES: readonly string[] = Object.values(PREFIXES);

/** The id of a research that the command `check` or `attack` starts. Lists of researches leave it out. */
export const checkId = (task: string, now: number, command: 'check' | 'attack' = 'check'): string =>
  `${PREFIXES[command]}${task}/${now.toString(36)}`;

/** The id of a research that evaluates a policy. Lists of researches leave it out. `key` begins with a letter. */
export const evaluationId = ({ policy, key }: { policy: string; key: string }): string =>
  `${PREFIXES.eval}${policy}/${key}`;

/** True for a research of the command `check`. */
export const isTaskCheck = (researchId: string): boolean => researchId.startsWith(PREFIXES.check);

/** True for a research that only checks a task or evaluates a policy. */
export const isCheck = (researchId: string): boolean => CHECK_PREFIXES.some((prefix) => researchId.startsWith(prefix));
