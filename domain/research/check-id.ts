/** Prefixes of the ids of researches that only check a task. */
const PREFIXES = { check: 'check/', attack: 'attack/' } as const;

/** The id of a research that the command `check` or `attack` starts. Lists of researches leave it out. */
export const checkId = (task: string, now: number, command: keyof typeof PREFIXES = 'check'): string =>
  `${PREFIXES[command]}${task}/${now.toString(36)}`;

/** True for a research that only checks a task. */
export const isCheck = (researchId: string): boolean =>
  Object.values(PREFIXES).some((prefix) => researchId.startsWith(prefix));
