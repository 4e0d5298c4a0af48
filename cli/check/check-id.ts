const PREFIX = 'check/';

/** The id of a research that `perpetua check` starts; it shows up in no list. */
export const checkId = (task: string, now: number): string => `${PREFIX}${task}/${now.toString(36)}`;

/** True for the research of a check. */
export const isCheck = (researchId: string): boolean => researchId.startsWith(PREFIX);
