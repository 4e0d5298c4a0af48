import { randomUUID } from 'node:crypto';

/** An id for a stage that is made. No dash in it: names of stages that were set aside have one behind it. */
export const newStageId = (): string => randomUUID().replaceAll('-', '');
