import { randomUUID } from 'node:crypto';

/** Id for a new stage. It has no dash: in `.damaged-ID-HASH`, the name of a stage set aside, a dash ends the id. */
export const newStageId = (): string => randomUUID().replaceAll('-', '');
