/** Researches that only check a task. */
const PREFIXES = { check: 'check/', attack: 'attack/' } as const;

/** The id of a research that a command of that name starts; it shows up in no list. */
export const checkId = (task: string, now: number, command: keyof typeof PREFIXES = 'check'): string =>
  `${PREFIXES[command]}${task}/${now.toString(36)}`;

/** True for the research of a check. */
export const isCheck = (researchId: string): boolean =>
  Object.values(PREFIXES).some((prefix) => researchId.startsWith(prefix));
